/** Cancelling: one grace of five seconds for all, then force; what only waits ends at once; RunCancelled comes last. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const FAN = `
policy: { concurrency: 100 }
steps: [{ id: s, forEach: "input.list", run: stubborn }]
`
const TEN = { input: { list: Array.from({ length: 10 }, (_, index) => index) } }

describe('the grace', () => {
  it('is 5,000 ms to the millisecond, then what is in flight is ended by force [CAN-01]', () => {
    const run = scenario(`steps: [{ id: a, run: f }]`).start().at('+7s').signals('CANCEL').at('+4999ms')
    expect([run.status, run.substatus, run.events('StepFailed')]).toEqual(['RUNNING', 'embedded/CANCELLING', []])
    run.at('+1ms')
    expect(run.status).toBe('CANCELLED')
    expect(run.payload('StepFailed')).toMatchObject({
      error: { code: 'CANCELLED', retryable: false },
      forced: true,
      final: true,
    })
  })

  it('is one for ten stubborn steps: at 5,000 ms all are ended, freed and recorded; a result at 6,000 ms is only late [CAN-01, X-31]', async () => {
    const world = new World()
    const process = world.process('only', { script: { stubborn: 'hold' } })
    const key = await process.start(FAN, TEN)
    await world.runUntil(() => world.calls.length === 10)
    await process.signal(key, 'CANCEL')
    const cancelledAt = world.time.now()
    expect(world.calls.every(({ context }) => context.signal.aborted)).toBe(true)
    await world.advanceBy(4999)
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/CANCELLING' })
    expect(world.log(key, 'StepFailed')).toEqual([])
    await world.advanceBy(1)
    expect(world.row(key)).toMatchObject({ status: 'CANCELLED', endedAt: cancelledAt + 5000 })
    expect(world.log(key, 'StepFailed')).toHaveLength(11)
    expect(world.log(key).at(-1)).toBe('RunCancelled RUN#1')
    expect(process.engine.drivenRuns).toBe(0)

    const length = world.records(key).length
    await world.advanceBy(1000)
    world.calls[3]?.resolve('too late')
    world.calls[4]?.reject(new Error('too late as well'))
    await world.time.quiet()
    const late = world.records(key).slice(length)
    expect(
      late.map((record) => [
        record.eventType,
        record.payload?.['stepId'],
        record.payload?.['outcome'],
        record.payload?.['audit'],
      ]),
    ).toEqual([
      ['LateOutcomeRecorded', 's[3]', 'completed', 'ORPHANED_TASK'],
      ['LateOutcomeRecorded', 's[4]', 'failed', 'ORPHANED_TASK'],
    ])
    expect(world.row(key)).toMatchObject({ status: 'CANCELLED', endedAt: cancelledAt + 5000 })
  })

  it('is left early when everything has ended, and what ends in it keeps its own outcome [CAN-01, CAN-09]', async () => {
    const world = new World()
    const process = world.process('only', {
      script: {
        kind: ({ context, reject }, { after }) => {
          context.signal.addEventListener('abort', () => void after(1200).then(() => reject(context.signal.reason)))
          return new Promise(() => undefined)
        },
        quick: async (_call, { after }) => after(2000),
      },
    })
    const key = await process.start(
      `steps: [{ id: a, run: kind, dependsOn: [] }, { id: b, run: quick, dependsOn: [] }, { id: c, run: f, dependsOn: [a, b] }]`,
    )
    await process.signal(key, 'CANCEL')
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key).slice(-3)).toEqual(['StepFailed a#1', 'StepCompleted b#1', 'RunCancelled RUN#1'])
    expect((world.row(key).endedAt ?? 0) - (world.row(key).startedAt ?? 0)).toBe(2000)
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
  })

  it('does not outlast a second cancel: the first one counts [CAN-01]', () => {
    const run = scenario(`steps: [{ id: a, run: f }]`).start().signals('CANCEL').at('+3s').signals('CANCEL')
    expect(run.payload('SignalAccepted')).toMatchObject({ applied: false })
    expect(run.at('+2s').status).toBe('CANCELLED')
    expect(run.payload('RunCancelled')).toMatchObject({ signalId: 's1' })
  })

  it('goes on under the next driver, who was told to stop and not to start [CAN-01]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const key = await first.start(`steps: [{ id: a, run: f }]`)
    await first.signal(key, 'CANCEL')
    const cancelledAt = world.time.now()
    first.kill()
    world.process('second', { adoptOthers: true, leaseMs: 10_000 })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1'])
    expect(world.row(key).status).toBe('CANCELLED')
    expect(world.row(key).endedAt ?? 0).toBeGreaterThanOrEqual(cancelledAt + 5000)
  })
})

describe('a cancelled run', () => {
  it('records each step in flight as cancelled before RunCancelled, and says nothing of those never started [CAN-03, CAN-09, X-57]', () => {
    const run = scenario(`
policy: { concurrency: 2 }
steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }, { id: queued, run: f, dependsOn: [] }, { id: after, run: f, dependsOn: [a] }]`).start()
    run.signals('CANCEL').at('+5s')
    expect(run.events().slice(-3)).toEqual(['StepFailed a#1', 'StepFailed b#1', 'RunCancelled RUN#1'])
    for (const slot of ['a', 'b'])
      expect(run.payload('StepFailed', slot)).toMatchObject({
        error: { code: 'CANCELLED', errorClass: 'cancelled', retryable: false },
      })
    expect(run.log.some(({ draft }) => ['queued', 'after'].includes(draft.slot))).toBe(false)
    expect(run.state.inFlight.size).toBe(0)
  })

  it('drops at once what only waits: waits, manual tasks, backoffs and the queue [CAN-10]', () => {
    const run = scenario(`
policy: { concurrency: 1 }
steps:
  - { id: w, wait: { forMs: 60000 }, dependsOn: [] }
  - { id: u, wait: { until: "2031-01-01T00:00:00Z" }, dependsOn: [] }
  - { id: m, manual: { title: sign }, dependsOn: [] }
  - { id: r, run: f, dependsOn: [] }
  - { id: q, run: f, dependsOn: [r] }`)
      .start()
      .fails('r')
    expect(run.substatus).toBe('RETRYING')
    run.signals('CANCEL')
    expect(run.events().slice(-4).sort()).toEqual([
      'RunCancelled RUN#1',
      'StepFailed m#1',
      'StepFailed u#1',
      'StepFailed w#1',
    ])
    expect([run.status, run.elapsed]).toEqual(['CANCELLED', 0])
  })

  it('was cancelled whatever else goes wrong in its grace [CAN-11]', async () => {
    const run = scenario(
      `steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }, { id: c, run: f, dependsOn: [] }]`,
    )
      .start()
      .signals('CANCEL')
    run.fails('a', { class: 'validation' }).fails('b', { class: 'timeout' }).at('+5s')
    expect(run.status).toBe('CANCELLED')
    for (const slot of ['a', 'b', 'c'])
      expect(run.payload('StepFailed', slot)).toMatchObject({ error: { code: 'CANCELLED' }, final: true })

    const backstop = scenario(`steps: [{ id: a, run: f, timeoutMs: 1000 }]`)
      .start()
      .at('+1799s')
      .signals('CANCEL')
      .at('+2s')
    expect(backstop.status).toBe('CANCELLED')
    expect(backstop.payload('StepFailed', 'a')).toMatchObject({ error: { code: 'CANCELLED' } })

    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(`steps: [{ id: a, run: f }]`)
    await process.signal(key, 'CANCEL')
    world.calls[0]?.reject(new TypeError('broke while stopping'))
    await world.time.quiet()
    expect(world.row(key).status).toBe('CANCELLED')
    expect(world.records(key).find((record) => record.eventType === 'StepFailed')?.payload).toMatchObject({
      error: { code: 'CANCELLED' },
    })
  })

  it('may have been paused, and its own time limit no longer wakes it [CAN-13]', () => {
    const run = scenario(`policy: { runTimeoutMs: 2000 }\nsteps: [{ id: a, run: f }]`)
      .start()
      .signals('PAUSE')
      .signals('CANCEL')
      .at('+5s')
    expect(run.status).toBe('CANCELLED')
    expect(run.events('AlertRaised', 'RunResumed')).toEqual([])
    const live = scenario(`policy: { runTimeoutMs: 2000 }\nsteps: [{ id: a, run: f }]`)
      .start()
      .at('+1s')
      .signals('CANCEL')
      .at('+5s')
    expect(live.status).toBe('CANCELLED')
    expect(live.events('AlertRaised')).toEqual([])
  })

  it('by EMERGENCY_STOP has no grace, also in the middle of a CANCEL [SIG-06]', () => {
    const run = scenario(`steps: [{ id: a, run: f }]`)
      .start()
      .signals('CANCEL')
      .at('+1s')
      .signals('EMERGENCY_STOP', { reason: 'fire' })
    expect([run.status, run.elapsed]).toEqual(['CANCELLED', 1000])
    expect(run.payload('RunCancelled')).toMatchObject({ cause: 'EMERGENCY_STOP', signalId: 's2' })
  })
})
