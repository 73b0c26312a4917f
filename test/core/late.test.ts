/** Results nobody waits for any more: on record once, without a step event and without a change of status. */
import { describe, expect, it } from 'vitest'
import { reportInboxRow } from '../../src/app/inbox/report-inbox-row.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const ONE = `steps: [{ id: a, run: f }]`
const HOOKED = `
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, compensate: { run: undo } }, { id: b, run: f }]`
const completed = { kind: 'completed', output: 'late', artifactRefs: [], durationMs: 1 } as const

describe('a result after the end of the run', () => {
  it('is recorded with an audit mark and changes nothing else [X-31]', () => {
    const run = scenario(ONE).start().signals('CANCEL').at('+5s')
    const before = run.events()
    run.at('+1s').completes('a', 'late')
    expect(run.events().slice(before.length)).toEqual(['LateOutcomeRecorded LATE:a:1#1'])
    expect(run.payload('LateOutcomeRecorded')).toMatchObject({
      attempt: 1,
      outcome: 'completed',
      audit: 'ORPHANED_TASK',
    })
    expect(run.log.at(-1)?.draft.data).toEqual({ result: 'late' })
    expect(run.status).toBe('CANCELLED')
  })

  it('is recorded once per attempt and engine attempt, however often it arrives [X-31, P-48]', () => {
    const run = scenario(ONE).start().signals('CANCEL').at('+5s')
    run
      .completes('a')
      .completes('a')
      .fails('a')
      .completes('a', null, { engineAttempt: 2 })
      .completes('a', null, { engineAttempt: 2 })
    expect(run.events('LateOutcomeRecorded')).toEqual([
      'LateOutcomeRecorded LATE:a:1#1',
      'LateOutcomeRecorded LATE:a:1#2',
    ])
  })

  it('of a compensation that an emergency stop left behind is recorded once for each engine attempt [X-31, P-48]', () => {
    const run = scenario(HOOKED).start().completes('a').fails('b')
    expect(run.substatus).toBe('embedded/COMPENSATING')
    run.signals('EMERGENCY_STOP', { reason: 'fire' })
    expect(run.status).toBe('FAILED')
    const length = run.log.length
    run
      .completes('COMP:a', 'undone')
      .fails('COMP:a')
      .completes('COMP:a', null, { attempt: 2 })
      .completes('COMP:b', null, { attempt: 1 })
      .fails('COMP:a', { engineAttempt: 2 })
    expect(run.events().slice(length)).toEqual([
      'LateOutcomeRecorded LATE:COMP:a:1#1',
      'LateOutcomeRecorded LATE:COMP:a:1#2',
    ])
    expect(run.log[length]?.draft).toMatchObject({
      payload: { attempt: 1, outcome: 'completed', audit: 'ORPHANED_TASK', compensation: true },
      data: { result: 'undone' },
    })
    expect(run.status).toBe('FAILED')
  })

  it('of a compensation comes from the executor that was told to stop, and its decision follows from the log [X-31]', async () => {
    const world = new World()
    const g = (): never => {
      throw new Error('no')
    }
    // It does not listen: what it was told comes too late for it.
    const process = world.process('only', { script: { g, undo: (_call, { after }) => after(1_000) } })
    const key = await process.start(HOOKED.replace('id: b, run: f', 'id: b, run: g'))
    await world.runUntil(() => world.called('undo').length === 1)
    await process.signal(key, 'EMERGENCY_STOP', { reason: 'fire' })
    expect(world.row(key).status).toBe('FAILED')
    const length = world.records(key).length
    await world.advanceBy(2_000)
    expect(world.records(key).slice(length)).toMatchObject([
      { eventType: 'LateOutcomeRecorded', payload: { stepId: 'a', attempt: 1, compensation: true } },
    ])
    const { plan } = await process.advancer.current(key)
    expect(verifyDecisions(world.records(key), plan)).toMatchObject({ differences: [], notDerivable: [] })
  })

  it('of a compensation whose attempt has ended is recorded, unless it is what ended it [X-31]', () => {
    const run = scenario(HOOKED).start().completes('a').fails('b').adopted()
    run.completes('COMP:a', null, { engineAttempt: 2 })
    expect(run.status).toBe('FAILED')
    const length = run.log.length
    run.completes('COMP:a', null, { attempt: 1, engineAttempt: 2 })
    expect(run.log).toHaveLength(length)
    run.completes('COMP:a', null, { attempt: 1, engineAttempt: 1 })
    expect(run.events().slice(length)).toEqual(['LateOutcomeRecorded LATE:COMP:a:1#1'])
  })

  it('comes through any driver that hears it, even one that never held the run [X-31]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const key = await first.start(ONE)
    await first.signal(key, 'EMERGENCY_STOP', { reason: 'fire' })
    const length = world.records(key).length
    const other = world.process('other')
    const report = { slot: 'a', attempt: 1, engineAttempt: 1, result: completed }
    await other.advancer.advance(key, { reports: [report] })
    await other.advancer.advance(key, { reports: [report] })
    expect(world.log(key).slice(length)).toEqual(['LateOutcomeRecorded a#1'])
    expect(world.row(key).status).toBe('CANCELLED')
  })
})

describe('a result after the end of its attempt', () => {
  it('leaves the attempt as it ended and the next one alone [X-31, MAN-10]', () => {
    const run = scenario(`steps: [{ id: a, run: f, timeoutMs: 1000 }, { id: b, run: f }]`).start().at('+1801s')
    expect(run.events('StepFailed')).toEqual(['StepFailed a#1'])
    run.at('+1s').completes('a', 'late', { attempt: 1 })
    expect(run.events().slice(-2)).toEqual(['StepStarted a#2', 'LateOutcomeRecorded LATE:a:1#1'])
    expect(run.completes('a', 'right').dispatched()).toEqual(['a#1', 'a#2', 'b#1'])
  })

  it('that repeats the very outcome which ended it adds nothing; one of an older dispatch is late [X-31]', () => {
    const run = scenario(`steps: [{ id: a, run: f }, { id: b, run: f }]`)
      .start()
      .adopted()
      .completes('a', null, { engineAttempt: 2 })
    const length = run.log.length
    run.completes('a', null, { engineAttempt: 2 })
    expect(run.log).toHaveLength(length)
    run.completes('a', null, { engineAttempt: 1 })
    expect(run.events().slice(length)).toEqual(['LateOutcomeRecorded LATE:a:1#1'])
    expect(run.completes('b', null, { engineAttempt: 1 }).status).toBe('COMPLETED')
  })

  it('of an attempt that never was is ignored [X-31]', () => {
    const run = scenario(`steps: [{ id: a, run: f }, { id: b, run: f }]`).start()
    const length = run.log.length
    run
      .completes('b', null, { attempt: 1 })
      .completes('a', null, { attempt: 7 })
      .completes('zzz', null, { attempt: 1 })
      .completes('a[3]', null, { attempt: 1 })
    expect(run.log).toHaveLength(length)
  })
})

describe('an inbox row to a run whose driver died right after its end', () => {
  it('is answered by whoever sweeps: a late outcome is on record, a signal is refused [X-31, P-21, P-12]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const key = await first.start(ONE)
    await first.signal(key, 'EMERGENCY_STOP', { reason: 'fire' })
    expect(world.hasEnded(key)).toBe(true)
    first.kill()
    const sender = world.process('sender')
    const inboxRow = reportInboxRow({ slot: 'a', attempt: 1, engineAttempt: 1, result: completed })
    await sender.store.insertInbox(world.row(key), inboxRow ?? { inboxId: '', kind: '', body: '' })
    await sender.signal(key, 'PAUSE', { reason: 'too late' })
    const length = world.records(key).length
    await world.advanceBy(60_000)
    expect(world.records(key)).toHaveLength(length)

    world.process('second', { adoptOthers: true })
    await world.advanceBy(6_000)
    expect(world.log(key).slice(length)).toEqual(['LateOutcomeRecorded a#1', 'SignalRejected RUN#1'])
    expect(await sender.store.readInbox(key)).toEqual([])
    expect(world.row(key).status).toBe('CANCELLED')
  })
})
