/** Pauses of runs on Temporal: around a rotation, with every place of the worker taken, and in the middle of a fan-out. */
import { describe, expect, it } from 'vitest'
import type { RunHandle } from '../../src/main.ts'
import { onTemporal } from '../fixtures/on-temporal.ts'
import { executionsOf, historyIn, scheduledIn } from '../fixtures/temporal-executions.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { eventsOf, logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import type { TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer
let world: TemporalWorld

let gate = Promise.withResolvers<void>()
let atWork = 0
let mostAtWork = 0
const steps = {
  echo: (input: unknown) => input,
  gated: async () => {
    atWork += 1
    mostAtWork = Math.max(mostAtWork, atWork)
    await gate.promise
    atWork -= 1
  },
}

onTemporal(
  steps,
  (on) => ({ server, world } = on),
  () => gate.resolve(),
)

const historyOf = (run: RunHandle) => historyIn(server, run)
const scheduled = (run: RunHandle) => scheduledIn(server, run)

describe('a pause', () => {
  it('that comes just before a rotation still stands after it [TMP-03, X-06, X-94, P-39]', async () => {
    const other = await temporalWorld(server.address, steps, { taskQueue: 'paused', rotation: { steps: 2 } })
    gate = Promise.withResolvers()
    const run = await other.start(`
plan: paused
version: 1.0.0
steps:
  - { id: a, run: echo, with: {} }
  - { id: b, dependsOn: [a], run: gated }
  - { id: c, dependsOn: [b], run: echo, with: {} }
`)
    await until(() => atWork > 0)
    await run.pause('hold on')
    await logHas(run, 'RunPaused')
    const before = executionsOf(server.command, run.runId).length
    gate.resolve()
    // The last answer that was owed: the history is rotated now.
    await until(() => executionsOf(server.command, run.runId).length > before)
    await until(() => historyOf(run).events.some((one) => one.eventType.includes('MARKER_RECORDED')))
    expect((await run.snapshot()).status).toBe('PAUSED')
    expect(scheduled(run).filter((id) => id.startsWith('ExecuteStep:'))).toEqual([])
    await run.resume()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(other.keelson, run)
    expect(events.indexOf('StepStarted c#1')).toBeGreaterThan(events.indexOf('RunResumed'))
    await other.close()
  })

  it('is heard while every place of the worker is taken by a step, and so is a cancel [TMP-06, TMP-07]', async () => {
    const other = await temporalWorld(server.address, steps, { taskQueue: 'full', maxSteps: 2 })
    gate = Promise.withResolvers()
    const run = await other.start(
      `
plan: full
version: 1.0.0
steps: [{ id: each, forEach: input.list, run: gated }]
`,
      { list: [1, 2, 3, 4] },
    )
    await until(() => atWork === 2)
    await run.pause()
    await logHas(run, 'RunPaused')
    expect(atWork).toBe(2)
    await run.cancel('enough')
    await logHas(run, 'RunCancelled')
    expect(atWork).toBe(2)
    gate.resolve()
    await until(() => atWork === 0)
    await expectSound(other.keelson, run)
    await other.close()
  })

  it('during a fan-out lets nothing new begin, and a resume lets all of it [TMP-06]', async () => {
    gate = Promise.withResolvers()
    mostAtWork = 0
    const run = await world.start(
      `
plan: fan
version: 1.0.0
policy: { concurrency: 20 }
steps: [{ id: each, forEach: input.list, run: gated }]
`,
      { list: Array.from({ length: 60 }, (_, n) => n) },
    )
    await until(() => atWork === 20)
    await run.pause()
    await logHas(run, 'RunPaused')
    gate.resolve()
    await until(() => atWork === 0)
    await until(async () => (await eventsOf(run)).filter((one) => /^StepCompleted .*\[/.test(one)).length === 20)
    expect(scheduled(run).filter((id) => id.startsWith('ExecuteStep:'))).toHaveLength(20)
    gate = Promise.withResolvers()
    gate.resolve()
    await run.resume()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    expect(mostAtWork).toBe(20)
    const events = await expectSound(world.keelson, run)
    const began = events.map((one, at) => [one, at] as const).filter(([one]) => /^StepStarted .*\[/.test(one))
    const paused = [events.indexOf('RunPaused'), events.indexOf('RunResumed')] as const
    expect(began.filter(([, at]) => at > paused[0] && at < paused[1])).toEqual([])
    expect(began).toHaveLength(60)
  })
})
