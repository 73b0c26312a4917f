/** Timers are state: fired in order by (dueAt, id), under a clock that never runs backwards in the log (P-25, P-26). */
import { describe, expect, it } from 'vitest'
import { nextTimer } from '../../src/core/run/state/timers.ts'
import { msFromIso } from '../../src/core/time.ts'
import { scenario, START } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

describe('due timers', () => {
  it('fire by instant, and at one instant in an order that never changes [P-25]', () => {
    const plan = `
policy: { onFailure: continue, retry: { maxAttempts: 2, initialBackoffMs: 5000 } }
steps:
  - { id: z, wait: { forMs: 5000 }, dependsOn: [] }
  - { id: y, wait: { until: "2030-01-01T00:00:05Z" }, dependsOn: [] }
  - { id: x, wait: { forMs: 3000 }, dependsOn: [] }
  - { id: r, run: f, dependsOn: [] }
  - { id: m, manual: { title: Sign, expiresAfterMs: 5000 }, dependsOn: [] }`
    const story = (): string[] => {
      const run = scenario(plan).start().fails('r').at('+5s')
      return run.log
        .filter(({ cause }) => cause.startsWith('timer:'))
        .map(({ draft, at, cause }) => `${at - START} ${cause} ${draft.eventType}`)
    }
    expect(story()).toEqual([
      '3000 timer:wait:x:1 StepCompleted',
      '5000 timer:retry:r:1 StepStarted',
      '5000 timer:timeout:m:1 StepFailed',
      '5000 timer:wait:z:1 StepCompleted',
      '5000 timer:wait:y:1 StepCompleted',
    ])
    expect(story()).toEqual(story())
  })

  it('all fire on one waking, each as a decision of its own [P-25, P-06]', async () => {
    const world = new World()
    const process = world.process('only', { pollMs: 10_000_000 })
    const answer = await process.create(
      `steps: [{ id: a, wait: { forMs: 1000 }, dependsOn: [] }, { id: b, wait: { forMs: 2000 }, dependsOn: [] }, { id: c, wait: { forMs: 3000 }, dependsOn: [] }]`,
    )
    world.time.turnTo(START + 2500)
    const report = await process.advancer.advance(answer.row.runKey)
    const fired = world.records(answer.row.runKey).filter((record) => record.eventType === 'StepCompleted')
    expect(
      fired.map((record) => [record.stepId, record.decision.cause, record.decision.firstSeq === record.runSeq]),
    ).toEqual([
      ['a', 'timer:wait:a:1', true],
      ['b', 'timer:wait:b:1', true],
    ])
    expect(report.wakeAt).toBe(START + 3000)
  })

  it('are seen by an engine as one instant, the earliest, expiries and backstops included [P-25]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(`
policy: { onFailure: continue }
steps:
  - { id: w, wait: { forMs: 9000 }, dependsOn: [] }
  - { id: m, manual: { title: Sign, expiresAfterMs: 4000 }, dependsOn: [] }
  - { id: r, run: f, timeoutMs: 86400000, dependsOn: [] }`)
    expect(world.row(key).nextWakeAt).toBe(START + 4000)
    await world.advanceBy(4000)
    expect(world.row(key).nextWakeAt).toBe(START + 9000)
    await world.advanceBy(5000)
    expect(world.row(key).nextWakeAt).toBe(START + 86_400_000 + 30 * 60_000)
  })
})

describe('the clock', () => {
  it('turned back does not turn back the log, nor make a timer fire early or twice [P-25]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(`steps: [{ id: a, run: f }, { id: w, wait: { forMs: 10000 } }, { id: b, run: f }]`)
    await world.advanceBy(60_000)
    world.calls[0]?.resolve()
    await world.time.quiet()
    world.time.turnTo(START + 1000)
    await process.signal(key, 'ESCALATE_ALERT', { level: 'INFO' })
    await world.runUntil(() => world.called().includes('b#1/1'))
    world.calls[1]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    const instants = world.records(key).map((record) => msFromIso(record.emittedAt) ?? 0)
    expect(instants).toEqual([...instants].sort((left, right) => left - right))
    const started = world.records(key).find((record) => record.stepId === 'w' && record.eventType === 'StepStarted')
    const done = world.records(key).filter((record) => record.stepId === 'w' && record.eventType === 'StepCompleted')
    expect(done).toHaveLength(1)
    expect(
      (msFromIso(done[0]?.emittedAt ?? '') ?? 0) - (msFromIso(started?.emittedAt ?? '') ?? 0),
    ).toBeGreaterThanOrEqual(10_000)
  })
})

describe('the time limit of an attempt', () => {
  it('is counted by its executor from its begin, and the step is told to stop [P-26]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(
      `policy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f, timeoutMs: 1500 }]`,
    )
    await world.advanceBy(1499)
    expect(world.log(key, 'StepFailed')).toEqual([])
    expect(world.calls[0]?.context.signal.aborted).toBe(false)
    await world.advanceBy(1)
    expect(world.calls[0]?.context.signal.aborted).toBe(true)
    expect(world.row(key)).toMatchObject({ status: 'FAILED', errorCode: 'TIMEOUT', endedAt: START + 1500 })
  })

  it('is no limit for queueing: the decider itself ends an attempt only 30 minutes later [P-26]', () => {
    const run = scenario(`policy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f, timeoutMs: 1500 }]`).start()
    expect(nextTimer(run.state)).toMatchObject({ dueAt: START + 1500 + 30 * 60_000, timer: { kind: 'timeout' } })
    expect(run.at('+1801499ms').events('StepFailed')).toEqual([])
    run.at('+1ms')
    expect(run.payload('StepFailed')).toMatchObject({ error: { code: 'TIMEOUT', errorClass: 'timeout' }, forced: true })
    expect(run.effects.at(-1)).toMatchObject({ kind: 'CancelStep', slot: 'a', attempt: 1 })
    expect(run.completes('a', 'late', { attempt: 1 }).events().at(-1)).toBe('LateOutcomeRecorded LATE:a:1#1')
  })
})

describe('the time limit of a run', () => {
  it('ends it once: an alert, a grace of 5 s, then RUN_TIMEOUT [P-25]', () => {
    const run = scenario(
      `policy: { runTimeoutMs: 10000 }\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: w, wait: { forMs: 60000 }, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]`,
    ).start()
    run.at('+10s')
    expect(run.payload('AlertRaised')).toMatchObject({ code: 'RUN_TIMEOUT' })
    expect(run.effects.at(-1)).toMatchObject({ kind: 'CancelStep', slot: 'a' })
    expect(run.events('StepFailed')).toEqual(['StepFailed w#1'])
    run.at('+4999ms')
    expect(run.status).toBe('RUNNING')
    run.at('+1ms')
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')).toMatchObject({ error: { code: 'RUN_TIMEOUT', errorClass: 'timeout' } })
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted w#1'])
  })
})
