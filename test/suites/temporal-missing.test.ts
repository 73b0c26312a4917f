/**
 * Workflows that are gone without a trace: deleted behind our back, or lost with everything their server knew. Such a run is
 * in no list and its timer is far away; it is found all the same, and goes on from its log by itself.
 */
import { describe, expect, it } from 'vitest'
import type { StepContext } from '../../src/main.ts'
import { onTemporal } from '../fixtures/on-temporal.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { logHas, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import type { TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer
let world: TemporalWorld

let gate = Promise.withResolvers<void>()
const began: string[] = []
const steps = {
  gated: async (_input: unknown, { runId, stepId, engineAttempt }: StepContext) => {
    began.push(`${runId} ${stepId}/${engineAttempt}`)
    await gate.promise
  },
}

onTemporal(
  steps,
  (on) => ({ server, world } = on),
  () => gate.resolve(),
)

const AT_WORK = `
plan: at-work
version: 1.0.0
steps: [{ id: a, run: gated }, { id: b, dependsOn: [a], run: gated }]
`
const ASKED = `
plan: asked
version: 1.0.0
steps: [{ id: ask, manual: { title: 'Go on?' } }, { id: b, dependsOn: [ask], run: gated }]
`

const epochOf = async (runId: string): Promise<number> => (await world.keelson.run(runId)).row.epoch
const isThere = (runId: string): boolean => {
  const listed = server.command('workflow', 'list', '--query', `WorkflowId = '${runId}'`, '--output', 'json')
  return listed.includes(runId)
}

async function startAtWork() {
  const run = await world.start(AT_WORK)
  await until(() => began.includes(`${run.runId} a/1`))
  return run
}

describe('a workflow that is deleted in the middle of a step', () => {
  it('is missed: the run gets a new one, and nothing is recorded twice [P-38]', async () => {
    gate = Promise.withResolvers()
    const run = await startAtWork()
    server.command('workflow', 'delete', '--workflow-id', run.runId)
    await until(() => !isThere(run.runId))
    await until(() => began.includes(`${run.runId} a/2`))
    expect(await epochOf(run.runId)).toBe(2)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('Step'))).toHaveLength(4)
  })
})

describe('a server that has lost all its data', () => {
  it('gets the workflows of the runs in flight again, by themselves and once [X-87, P-38, P-27]', async () => {
    gate = Promise.withResolvers()
    const asked = await world.start(ASKED)
    await logHas(asked, 'ManualTaskOpened ask#1')
    const runs = [await startAtWork(), await startAtWork()]
    await server.kill9()
    await server.restart()
    for (const { runId } of runs) {
      await until(() => began.includes(`${runId} a/2`))
      expect(await epochOf(runId)).toBe(2)
    }
    gate.resolve()
    for (const run of runs) {
      await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
      const events = await expectSound(world.keelson, run)
      expect(events.filter((one) => one.startsWith('StepCompleted'))).toEqual([
        'StepCompleted a#1',
        'StepCompleted b#1',
      ])
    }
    // Nobody has said a word to this one since.
    await until(() => isThere(asked.runId))
    expect(await epochOf(asked.runId)).toBe(2)
    const [task] = await asked.tasks()
    await asked.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
    await expect(asked.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, asked)
  })
})
