/** Pause and resume: scheduling stops with the event, work in flight drains, the end waits, relative time stands still. */
import { describe, expect, it } from 'vitest'
import { locate } from '../../src/core/run/state/units.ts'
import { scenario, START } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const TWO = `steps: [{ id: a, run: f }, { id: b, run: f }]`
const BACKOFF = `steps: [{ id: a, run: f, retry: { maxAttempts: 3, initialBackoffMs: 4000 } }]`

describe('a pause', () => {
  it('is written at once, before what is in flight has drained [X-35, SSM-05]', () => {
    const run = scenario(TWO).start().signals('PAUSE')
    expect([run.status, run.substatus]).toEqual(['PAUSED', 'DRAINING'])
    expect(run.events().at(-1)).toBe('RunPaused RUN#1')
    run.completes('a')
    expect([run.status, run.substatus]).toEqual(['PAUSED', undefined])
  })

  it('lets nothing start until the run is resumed [SIG-12]', () => {
    const run = scenario(TWO).start().signals('PAUSE').completes('a').at('+1h')
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1'])
    expect(run.signals('RESUME').events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted b#1'])
  })

  it('asked for twice adds no second RunPaused, nor a second resume a RunResumed [SIG-12, X-98]', () => {
    const run = scenario(TWO).start().signals('PAUSE').signals('PAUSE').signals('RESUME').signals('RESUME')
    expect(run.events('SignalAccepted')).toHaveLength(4)
    expect(run.events('RunPaused', 'RunResumed')).toEqual(['RunPaused RUN#1', 'RunResumed RUN#1'])
  })

  it('repeated later is a row of its own: four rows, four keys, the right status [IDM-10, X-06]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(TWO)
    for (const signal of ['PAUSE', 'RESUME', 'PAUSE', 'RESUME', 'PAUSE']) await process.signal(key, signal)
    expect(world.log(key, 'RunPaused', 'RunResumed')).toEqual([
      'RunPaused RUN#1',
      'RunResumed RUN#1',
      'RunPaused RUN#2',
      'RunResumed RUN#2',
      'RunPaused RUN#3',
    ])
    const keys = world.records(key).map((record) => record.idempotencyKey)
    expect(new Set(keys).size).toBe(keys.length)
    expect(world.row(key).status).toBe('PAUSED')
  })

  it('lasts beyond its process: the next driver schedules nothing new [SIG-12]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const key = await first.start(TWO)
    await first.signal(key, 'PAUSE')
    first.kill()
    const second = world.process('second', { adoptOthers: true })
    await world.advanceBy(60_000)
    expect(world.called()).toEqual(['a#1/1', 'a#1/2'])
    expect(world.row(key).status).toBe('PAUSED')
    await second.signal(key, 'RESUME')
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
  })
})

describe('work in flight that does not end while a run is paused', () => {
  const LONG = 'timeoutMs: 7200000'
  const SLOW = `steps: [{ id: a, run: f, ${LONG} }, { id: b, run: f }]`

  it('raises one alert of priority P2 after five minutes; the run stays paused, can be resumed, and takes the result [X-95]', () => {
    const run = scenario(SLOW).start().signals('PAUSE').at('+299999ms')
    expect([run.events('AlertRaised'), run.substatus]).toEqual([[], 'DRAINING'])
    run.at('+1ms')
    expect(run.payload('AlertRaised')).toMatchObject({ code: 'PAUSE_DRAIN_TIMEOUT', priority: 'P2' })
    expect([run.status, run.substatus]).toEqual(['PAUSED', 'embedded/DRAIN_TIMED_OUT'])
    expect(run.at('+1h').events('AlertRaised')).toHaveLength(1)
    expect(run.refolded().drainTimedOut).toBe(true)
    run.signals('RESUME')
    expect([run.status, run.dispatched()]).toEqual(['RUNNING', ['a#1']])
    expect(run.completes('a').dispatched()).toEqual(['a#1', 'b#1'])
  })

  it('counts when it ends after the alert and before the resume', () => {
    const run = scenario(SLOW).start().signals('PAUSE').at('+5min').completes('a')
    expect([run.status, run.substatus, run.events('StepCompleted')]).toEqual([
      'PAUSED',
      undefined,
      ['StepCompleted a#1'],
    ])
    expect(run.signals('RESUME').dispatched()).toEqual(['a#1', 'b#1'])
  })

  it('has the time that the plan gives, counted anew in each pause', () => {
    const run = scenario(`policy: { drainTimeout: 10s }\n${SLOW}`).start().signals('PAUSE').at('+9s')
    run.signals('RESUME').at('+1min').signals('PAUSE').at('+9999ms')
    expect(run.events('AlertRaised')).toEqual([])
    expect(run.at('+1ms').events('AlertRaised')).toHaveLength(1)
    run.signals('RESUME').signals('PAUSE').at('+10s')
    expect(run.events('AlertRaised')).toHaveLength(2)
  })

  it('is no alert where nothing is in flight: people, waits and ended steps need no draining', () => {
    const waits = scenario('steps: [{ id: a, manual: { title: Look } }]').start().signals('PAUSE').at('+1h')
    const ended = scenario(SLOW).start().signals('PAUSE').completes('a').at('+1h')
    expect([waits.events('AlertRaised'), ended.events('AlertRaised')]).toEqual([[], []])
  })

  it('is no alert once the run is cancelled', () => {
    const run = scenario(SLOW).start().signals('PAUSE').at('+299s').signals('CANCEL').at('+1h')
    expect([run.status, run.events('AlertRaised')]).toEqual(['CANCELLED', []])
  })
})

describe('an end that comes while paused', () => {
  const ONE = `policy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f }]`

  it('waits for the resume, be it success or failure [X-32]', () => {
    const done = scenario(ONE).start().signals('PAUSE').completes('a')
    expect(done.status).toBe('PAUSED')
    expect(done.signals('RESUME').events().slice(-3)).toEqual([
      'SignalAccepted SIGNAL:s2#1',
      'RunResumed RUN#1',
      'RunCompleted RUN#1',
    ])
    const failed = scenario(ONE).start().signals('PAUSE').fails('a')
    expect(failed.status).toBe('PAUSED')
    expect(failed.signals('RESUME').events().slice(-2)).toEqual(['RunResumed RUN#1', 'RunFailed RUN#1'])
  })

  it('gives way to a cancel [X-32, CAN-13]', () => {
    const run = scenario(ONE).start().signals('PAUSE').completes('a').signals('CANCEL')
    expect(run.status).toBe('CANCELLED')
    expect(run.events().slice(-2)).toEqual(['SignalAccepted SIGNAL:s2#1', 'RunCancelled RUN#1'])
  })

  it('by its time limit is asked for only after the resume [X-32]', () => {
    const limited = `policy: { runTimeoutMs: 10000 }\nsteps: [{ id: a, run: f }]`
    const run = scenario(limited).start().signals('PAUSE').at('+1min')
    expect(run.events('AlertRaised')).toEqual([])
    run.signals('RESUME').at('+0ms')
    expect(run.payload('AlertRaised')).toMatchObject({ code: 'RUN_TIMEOUT' })
    const late = scenario(limited).start().at('+10s').signals('PAUSE').at('+1min')
    expect([late.status, late.events('StepFailed')]).toEqual(['PAUSED', []])
    expect(late.signals('RESUME').events().slice(-2)).toEqual(['StepFailed a#1', 'RunFailed RUN#1'])
  })
})

describe('time during a pause', () => {
  it('a backoff paused at 1 s of 4 s and resumed at 60 s tries again 3 s later, once [RTY-13]', () => {
    const run = scenario(BACKOFF).start().fails('a').at('+1s').signals('PAUSE').at('+59s')
    expect(run.events('StepStarted')).toHaveLength(1)
    run.signals('RESUME').at('+2999ms')
    expect(run.events('StepStarted')).toHaveLength(1)
    run.at('+1ms')
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2'])
    expect(run.at('+30min').events('StepStarted')).toHaveLength(2)
  })

  it('a backoff is over at once when the run is cancelled [RTY-13]', () => {
    const run = scenario(BACKOFF).start().fails('a').at('+1s').signals('CANCEL')
    expect([run.status, run.elapsed]).toEqual(['CANCELLED', 1000])
    expect(run.at('+1h').events('StepStarted')).toHaveLength(1)
  })

  it('shifts relative waits and backoffs by its length, over several pauses [P-25]', () => {
    const run = scenario(
      `steps: [{ id: w, wait: { forMs: 10000 }, dependsOn: [] }, { id: a, run: f, dependsOn: [], retry: { initialBackoffMs: 20000 } }]`,
    )
      .start()
      .fails('a')
    run.at('+4s').signals('PAUSE').at('+1min').signals('RESUME').at('+3s').signals('PAUSE').at('+30s').signals('RESUME')
    expect(run.at('+2999ms').events('StepCompleted')).toEqual([])
    expect(run.at('+1ms').events('StepCompleted')).toEqual(['StepCompleted w#1'])
    expect(run.at('+9999ms').events('StepStarted')).toHaveLength(2)
    expect(run.at('+1ms').events('StepStarted')).toEqual(['StepStarted w#1', 'StepStarted a#1', 'StepStarted a#2'])
    expect(run.elapsed).toBe(20_000 + 90_000)
  })

  it('does not move absolute instants, time limits of attempts in flight or the expiry of a manual task [P-25]', () => {
    const run = scenario(`
policy: { onFailure: continue, retry: { maxAttempts: 1 } }
steps:
  - { id: u, wait: { until: "2030-01-01T00:00:10Z" }, dependsOn: [] }
  - { id: m, manual: { title: sign, expiresAfterMs: 20000 }, dependsOn: [] }
  - { id: t, run: f, timeoutMs: 30000, dependsOn: [] }`).start()
    run.at('+1s').signals('PAUSE').at('+9s')
    expect(run.events('StepCompleted')).toEqual(['StepCompleted u#1'])
    run.at('+10s')
    expect(run.payload('StepFailed', 'm')).toMatchObject({ error: { code: 'MANUAL_EXPIRED' } })
    run.at('+1829999ms')
    expect(run.events('StepFailed')).toEqual(['StepFailed m#1', 'StepFailed t#1'])
    expect(run.log.map(({ draft, at }) => `${draft.eventType} ${draft.slot} ${at - START}`)).toEqual(
      expect.arrayContaining(['StepCompleted u 10000', 'StepFailed m 20000', 'StepFailed t 1830000']),
    )
    expect(run.status).toBe('PAUSED')
  })
})

describe('a step retried while the run is paused', () => {
  it('waits as PENDING for its next attempt and starts on resume [SIG-12]', () => {
    const run = scenario(`
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f }, { id: b, run: f }, { id: c, run: f }]`).start()
    run.fails('a').signals('PAUSE').signals('RETRY_STEP', { stepId: 'a' })
    expect(run.payload('SignalAccepted')).toMatchObject({ signalType: 'RETRY_STEP', applied: true })
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1'])
    expect(['a', 'b', 'c'].map((slot) => locate(run.state, slot)?.unit.status)).toEqual([
      'PENDING',
      'PENDING',
      'PENDING',
    ])
    expect(run.signals('RESUME').events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2'])
  })
})
