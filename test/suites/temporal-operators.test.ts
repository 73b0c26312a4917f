/**
 * What operators of Temporal can do to a run's workflow behind our back: end it, reset it, start it a second time, or restore
 * an older store under it. The log stays right, and the run goes on or is set aside; it is never decided by Temporal.
 */
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StepContext } from '../../src/main.ts'
import { executionsOf } from '../fixtures/temporal-executions.ts'
import { onTemporal } from '../fixtures/on-temporal.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { eventsOf, logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import type { TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer
let world: TemporalWorld

let gate = Promise.withResolvers<void>()
const began: string[] = []
const steps = {
  echo: (input: unknown, { stepId }: StepContext) => {
    began.push(stepId)
    return input
  },
  gated: async (_input: unknown, { stepId }: StepContext) => {
    began.push(stepId)
    await gate.promise
  },
}

onTemporal(
  steps,
  (on) => ({ server, world } = on),
  () => gate.resolve(),
)

const CHAIN = `
plan: chain
version: 1.0.0
steps:
  - { id: a, run: echo, with: {} }
  - { id: b, dependsOn: [a], run: gated }
  - { id: c, dependsOn: [b], run: echo, with: {} }
`

async function startChain(plan = CHAIN) {
  gate = Promise.withResolvers()
  began.length = 0
  const run = await world.start(plan)
  await until(() => began.includes('b'))
  return run
}

describe('a workflow that is terminated', () => {
  it('while its run waits for a person is found in the list of closed ones and started again [P-38]', async () => {
    const run = await world.start(`
plan: asked
version: 1.0.0
steps:
  - { id: a, run: echo, with: {} }
  - { id: ask, dependsOn: [a], manual: { title: 'Go on?' } }
  - { id: b, dependsOn: [ask], run: echo, with: {} }
`)
    await logHas(run, 'ManualTaskOpened ask#1')
    server.command('workflow', 'terminate', '--workflow-id', run.runId, '--reason', 'by mistake')
    await until(async () => (await world.keelson.run(run.runId)).row.epoch === 2)
    await until(() => executionsOf(server.command, run.runId).length === 2)
    const [task] = await run.tasks()
    await run.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('ManualTaskOpened'))).toHaveLength(1)
  })

  it('in the middle of a step is started again under the next epoch, and what it still reports is late [P-27, P-38]', async () => {
    const run = await startChain()
    server.command('workflow', 'terminate', '--workflow-id', run.runId, '--reason', 'by mistake')
    await until(() => began.filter((one) => one === 'b').length === 2)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
    const ends = (await run.records()).filter(
      ({ eventType, stepId }) => eventType === 'StepCompleted' && stepId === 'b',
    )
    expect(ends.map(({ engineAttemptId }) => engineAttemptId)).toEqual([2])
    await logHas(run, 'LateOutcomeRecorded b#1')
  })
})

describe('a workflow that is reset', () => {
  it('to its beginning sends out only what the log still owes, and nothing is recorded twice [P-37, P-38]', async () => {
    const run = await startChain()
    const word = [
      'workflow',
      'reset',
      '--workflow-id',
      run.runId,
      '--type',
      'FirstWorkflowTask',
      '--reason',
      'try again',
    ]
    server.command(...word)
    await until(() => executionsOf(server.command, run.runId).length === 2)
    await until(() => began.filter((one) => one === 'b').length === 2)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('Step'))).toHaveLength(6)
    expect(began.filter((one) => one === 'a')).toHaveLength(1)
  })
})

describe('a second workflow for a run', () => {
  const carried = (runId: string) => JSON.stringify({ tenantId: 'local', runId, epoch: 1, headSeq: 0, rotations: 0 })

  it('under another name learns that the run is not its own, and sends nothing out [P-36]', async () => {
    const run = await startChain()
    const queue = `--task-queue=dvt-temporal-${run.row.tenantId}`
    const input = carried(run.runId)
    server.command('workflow', 'start', '--type', 'keelsonRun', '--workflow-id', 'stranger', queue, '--input', input)
    await until(() => server.command('workflow', 'describe', '--workflow-id', 'stranger').includes('COMPLETED'))
    const history = server.command('workflow', 'show', '--workflow-id', 'stranger', '--output', 'json')
    expect(history).not.toContain('ExecuteStep')
    expect(began).toEqual(['a', 'b'])
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
  })

  it('under the same name is refused while the run goes on, and ends at once when it has ended [TMP-11, X-87, P-38]', async () => {
    const run = await startChain()
    const queue = `--task-queue=dvt-temporal-${run.row.tenantId}`
    const words = ['--type', 'keelsonRun', '--workflow-id', run.runId, queue, '--input', carried(run.runId)]
    expect(() => server.command('workflow', 'start', ...words, '--fail-existing')).toThrow(/already/i)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await until(() => server.command('workflow', 'describe', '--workflow-id', run.runId).includes('COMPLETED'))
    const before = await eventsOf(run)
    server.command('workflow', 'start', ...words)
    await until(() => executionsOf(server.command, run.runId).length === 2)
    await until(() => server.command('workflow', 'describe', '--workflow-id', run.runId).includes('COMPLETED'))
    expect(await eventsOf(run)).toEqual(before)
    expect(began).toEqual(['a', 'b', 'c'])
  })
})

describe('a store that was put back to an earlier state', () => {
  const PLAN = `
plan: restored
version: 1.0.0
steps: [{ id: b, run: gated }, { id: ask, dependsOn: [b], manual: { title: 'Go on?' } }]
`

  it.each([
    ['with a shorter log', false],
    ['with an earlier epoch', true],
  ])(
    '%s is noticed by the engine, which has seen more: the run is set aside unchanged [P-39]',
    async (_how, takenOver) => {
      const directory = mkdtempSync(join(tmpdir(), 'keelson-temporal-restored-'))
      const reopen = () => temporalWorld(server.address, steps, { taskQueue: 'restored', open: { directory } })
      const first = await reopen()
      gate = Promise.withResolvers()
      began.length = 0
      const { runId } = await first.start(PLAN)
      const before = await first.keelson.run(runId)
      await until(() => began.includes('b'))
      await first.keelson.maintenance.backup(join(directory, 'copy.db'))
      if (takenOver) {
        server.command('workflow', 'terminate', '--workflow-id', runId, '--reason', 'by mistake')
        await until(async () => (await first.keelson.run(runId)).row.epoch === 2)
      }
      gate.resolve()
      await logHas(before, 'ManualTaskOpened ask#1')
      // The log is ahead of the engine for a moment: it has seen more once its workflow has the step's answer.
      const seen = /ActivityTaskCompleted[^]*WorkflowTaskCompleted/
      await until(() => seen.test(server.command('workflow', 'show', '--workflow-id', runId)))
      await first.close()
      for (const end of ['-wal', '-shm']) rmSync(join(directory, `keelson.db${end}`), { force: true })
      renameSync(join(directory, 'copy.db'), join(directory, 'keelson.db'))
      const second = await reopen()
      await second.keelson.connect()
      const run = await second.keelson.run(runId)
      const kept = await eventsOf(run)
      await run.pause('anybody there?')
      await until(async () => (await second.keelson.run(runId)).row.quarantine !== undefined)
      expect((await second.keelson.run(runId)).row.quarantine).toBe('LOG_REGRESSED')
      const aside = await (await second.keelson.run(runId)).trouble()
      expect(aside?.error.message).toContain('the store was put back to an earlier state')
      expect(aside?.soundSeq).toBe(kept.length)
      expect(await run.records(0, Number.MAX_SAFE_INTEGER)).toHaveLength(kept.length)
      await until(() => server.command('workflow', 'show', '--workflow-id', runId).includes('LOG_REGRESSED'))
      await second.close()
      rmSync(directory, { recursive: true, force: true })
    },
  )
})
