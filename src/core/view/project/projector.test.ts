import { describe, expect, it } from 'vitest'
import { at, buildLog, type LogBuilder } from '../../../../test/fixtures/log-builder.ts'
import { META, richLog } from '../../../../test/fixtures/seen-run.ts'
import type { LogRecord } from '../../events/event.ts'
import { msFromIso } from '../../time.ts'
import { projectRun } from './project-run.ts'
import { newProjector, nextOf, turn, type ProjectorState, type ProjectorTurn } from './projector.ts'
import type { ResyncResponse } from './resync.ts'
import { snapshotOf } from '../show/snapshot-of.ts'
import { viewToText } from './stored-view.ts'

const START = msFromIso(at(0)) ?? 0

/** A run of steps with the given numbers; the first two events approve and start it. */
function numbered(...numbers: readonly number[]): LogBuilder {
  const log = buildLog()
  numbers.forEach((runSeq, i) => {
    if (i === 0) log.add('RunApproved', { runSeq, atMs: 0 })
    else if (i === 1) log.add('RunStarted', { runSeq, atMs: 0 })
    else log.add('StepStarted', { runSeq, stepId: `s${runSeq}`, atMs: 0 })
  })
  return log
}
function full(log: LogBuilder): ResyncResponse {
  return { mode: 'FULL', runId: 'run-1', events: log.records }
}
function page(state: ProjectorState, records: readonly LogRecord[], ms = 0): ProjectorTurn {
  return turn(state, { kind: 'page', records, now: START + ms })
}
/** A projector that has folded a log from cold. */
function warm(log: LogBuilder): ProjectorState {
  return turn(newProjector(META), { kind: 'resynced', response: full(log), now: START }).state
}
const after = (log: LogBuilder, seq: number): readonly LogRecord[] => log.records.filter((one) => one.runSeq > seq)

describe('a projector', () => {
  it('asks for the whole log when it is cold [PRJ-15]', () => {
    expect(nextOf(newProjector(META))).toMatchObject({ kind: 'resync', request: { mode: 'FULL', runId: 'run-1' } })
  })

  it('catches up from its stored view without a word about gaps that are long past [PRJ-07, PRJ-15, X-21]', () => {
    const log = numbered(1, 2, 3, 6, 8)
    const stored = projectRun(META, log.records.slice(0, 3)).view
    const state = newProjector(META, stored)
    expect(nextOf(state)).toMatchObject({ kind: 'resync', request: { mode: 'FROM_SNAPSHOT', checkpointSeq: 3 } })
    const snapshot = { lastEventSeq: 3, body: viewToText(stored) }
    const response = { mode: 'FROM_SNAPSHOT', runId: 'run-1', snapshot, events: after(log, 3) } as const
    const done = turn(state, { kind: 'resynced', response, now: START })
    expect(done.alerts).toEqual([])
    expect(nextOf(done.state)).toMatchObject({ kind: 'poll', afterSeq: 8 })
    const nothingNew = turn(state, { kind: 'resynced', response: { ...response, events: [] }, now: START })
    expect(nextOf(nothingNew.state)).toMatchObject({ kind: 'poll', afterSeq: 3 })
  })

  it('pauses at a gap, asks for snapshot and delta once, and goes on behind it without a failure [PRJ-09, PRJ-17]', () => {
    const log = numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13)
    const state = warm(numbered(1, 2, 3, 4, 5, 6, 7, 8, 9))
    const gapped = page(state, after(log, 9))
    expect(gapped.state.view.lastEventSeq).toBe(11)
    expect(gapped.alerts).toMatchObject([
      { code: 'PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED', priority: 'P2', runId: 'run-1', tenantId: 'tenant' },
    ])
    expect(nextOf(gapped.state)).toMatchObject({
      kind: 'resync',
      request: { mode: 'FROM_SNAPSHOT', checkpointSeq: 11 },
    })
    const done = turn(gapped.state, { kind: 'resynced', response: full(log), now: START })
    expect(done.state.view.lastEventSeq).toBe(13)
    expect(done.alerts).toEqual([])
    expect(nextOf(done.state)).toMatchObject({ kind: 'poll', afterSeq: 13 })
  })

  it('stays stale while the watermark has not moved, waiting longer each time [PRJ-11]', () => {
    const short = numbered(1, 2, 3)
    let { state } = page(warm(short), numbered(1, 2, 3, 5).records)
    let now = START
    const waits: number[] = []
    for (let round = 0; round < 7; round += 1) {
      state = turn(state, { kind: 'resynced', response: full(short), now }).state
      const next = nextOf(state)
      expect(next.kind).toBe('resync')
      waits.push(next.notBefore - now)
      now = next.notBefore
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    const done = turn(state, { kind: 'resynced', response: full(numbered(1, 2, 3, 5)), now })
    expect(nextOf(done.state)).toMatchObject({ kind: 'poll', afterSeq: 5 })
  })

  it('takes the watermark before the batch with the gap, so that the same batch can complete it [PRJ-11, X-22]', () => {
    const log = numbered(1, 2, 3, 4, 6)
    const gapped = page(warm(numbered(1, 2, 3)), after(log, 3))
    expect(gapped.state.stale?.pre).toBe(4)
    expect(turn(gapped.state, { kind: 'resynced', response: full(log), now: START }).state.stale).toBeUndefined()
  })

  it('handles a permanent gap once, and looks for none while it replays [PRJ-14, X-21, X-22]', () => {
    const log = numbered(1, 2, 5, 9, 10)
    let state = warm(numbered(1, 2))
    let resyncs = 0
    let alerts = 0
    for (let round = 0; round < 20; round += 1) {
      const next = nextOf(state)
      const done =
        next.kind === 'poll'
          ? page(state, after(log, next.afterSeq))
          : turn(state, { kind: 'resynced', response: full(log), now: START })
      if (next.kind === 'resync') resyncs += 1
      alerts += done.alerts.length
      state = done.state
    }
    expect(resyncs).toBe(1)
    expect(alerts).toBe(1)
    expect(state.view.lastEventSeq).toBe(10)
  })

  it('finishes as verified current when it was doubted and the store has nothing newer [X-22]', () => {
    const log = richLog()
    const doubted = turn(warm(log), { kind: 'doubt', now: START }).state
    expect(nextOf(doubted)).toMatchObject({ kind: 'resync', request: { mode: 'FULL' } })
    const done = turn(doubted, { kind: 'resynced', response: full(log), now: START })
    expect(done.state.stale).toBeUndefined()
    expect(snapshotOf(done.state.view)).toEqual(snapshotOf(projectRun(META, log.records).view))
  })

  it('never goes back to a log that is shorter than what it has seen', () => {
    const doubted = turn(warm(numbered(1, 2, 3)), { kind: 'doubt', now: START }).state
    const done = turn(doubted, { kind: 'resynced', response: full(numbered(1, 2)), now: START })
    expect(done.state.view.lastEventSeq).toBe(3)
    expect(nextOf(done.state).kind).toBe('resync')
  })

  it('asks for the whole log when the snapshot it got cannot be used [PRJ-15]', () => {
    const stale = page(warm(numbered(1, 2)), numbered(1, 2, 4).records).state
    const response: ResyncResponse = {
      mode: 'FROM_SNAPSHOT',
      runId: 'run-1',
      snapshot: { lastEventSeq: 2, body: '{"viewVersion":0}' },
      events: [],
    }
    expect(nextOf(turn(stale, { kind: 'resynced', response, now: START }).state)).toMatchObject({
      request: { mode: 'FULL' },
    })
  })

  it('replays a snapshot and what follows it to the same view as the whole log [PRJ-09]', () => {
    const log = richLog()
    for (const cut of [1, 5, 10, 15, 20]) {
      const stored = projectRun(META, log.records.slice(0, cut)).view
      const stale = {
        ...newProjector(META, stored),
        stale: { reason: 'gap', full: false, pre: cut, failures: 0, notBefore: 0 },
      } as const
      const snapshot = { lastEventSeq: cut, body: viewToText(stored) }
      const response = { mode: 'FROM_SNAPSHOT', runId: 'run-1', snapshot, events: log.records.slice(cut) } as const
      const done = turn(stale, { kind: 'resynced', response, now: START })
      expect(snapshotOf(done.state.view)).toEqual(snapshotOf(projectRun(META, log.records).view))
    }
  })

  it('raises an alert about an event once, also when a replay meets the event again', () => {
    const log = buildLog().add('RunApproved', { atMs: 0 }).add('RunPaused', { atMs: 0 })
    const first = turn(newProjector(META), { kind: 'resynced', response: full(log), now: START })
    expect(first.alerts).toMatchObject([{ code: 'INVALID_TRANSITION' }])
    const doubted = turn(first.state, { kind: 'doubt', now: START }).state
    expect(turn(doubted, { kind: 'resynced', response: full(log), now: START }).alerts).toEqual([])
  })

  it('forgets what was erased from the log by a full replay', () => {
    const log = numbered(1, 2).add('RunFailed', { atMs: 0, data: { errorText: { message: 'of Ada' } } })
    const state = warm(log)
    const erased = page(state, log.add('ErasureRecorded', { atMs: 0 }).records)
    expect(nextOf(erased.state)).toMatchObject({ request: { mode: 'FULL' } })
    const events = log.records.map(({ data: _, ...kept }) => kept)
    const done = turn(erased.state, {
      kind: 'resynced',
      response: { mode: 'FULL', runId: 'run-1', events },
      now: START,
    })
    expect(nextOf(done.state).kind).toBe('poll')
    expect(JSON.stringify(done.state.view)).not.toContain('Ada')
  })
})

describe('lag', () => {
  const one = (): LogBuilder => numbered(1, 2, 3)

  it.each([
    [5000, 0],
    [5001, 1],
  ])('of %d ms raises %d alerts [PRJ-16]', (ms, count) => {
    const { alerts, state } = page(warm(numbered(1, 2)), one().records, ms)
    expect(state.lagMs).toBe(ms)
    expect(alerts).toMatchObject(
      Array.from({ length: count }, () => ({ code: 'PROJECTOR_LAG_HIGH', priority: 'P2', tenantId: 'tenant' })),
    )
  })

  it('alerts once while it lasts, is zero when idle, and alerts again after that [PRJ-16]', () => {
    const log = numbered(1, 2, 3, 4, 5)
    let state = warm(numbered(1, 2))
    const codes: number[] = []
    for (const [records, ms] of [
      [log.records.slice(0, 3), 6000],
      [log.records.slice(0, 4), 6000],
      [[], 6000],
      [log.records, 6000],
    ] as const) {
      const done = page(state, records, ms)
      state = done.state
      codes.push(done.alerts.length)
    }
    expect(codes).toEqual([1, 0, 0, 1])
    expect(page(state, [], 99_000).state.lagMs).toBe(0)
  })

  it('is counted from the oldest event not yet applied, not from applied ones [PRJ-16]', () => {
    const log = numbered(1, 2).add('StepStarted', { stepId: 'a', atMs: 9000 })
    expect(page(warm(numbered(1, 2)), log.records, 10_000).state.lagMs).toBe(1000)
  })

  it('above ten seconds asks for a resync, once, and then applies pages again [PRJ-18]', () => {
    const log = numbered(1, 2, 3)
    const calm = page(warm(numbered(1, 2)), log.records, 10_000)
    expect(nextOf(calm.state).kind).toBe('poll')
    const late = page(warm(numbered(1, 2)), log.records, 10_001)
    expect(nextOf(late.state)).toMatchObject({ kind: 'resync', request: { mode: 'FROM_SNAPSHOT', checkpointSeq: 2 } })
    const done = turn(late.state, { kind: 'resynced', response: full(log), now: START + 10_001 })
    const again = page(done.state, numbered(1, 2, 3, 4).records, 20_000)
    expect(again.state.view.lastEventSeq).toBe(4)
    expect(nextOf(again.state).kind).toBe('poll')
  })

  it('that made it stale ends as verified current when nothing newer is there [X-22]', () => {
    const late = page(warm(numbered(1, 2)), one().records, 20_000).state
    const done = turn(late, { kind: 'resynced', response: full(numbered(1, 2)), now: START })
    expect(nextOf(done.state)).toMatchObject({ kind: 'poll', afterSeq: 2 })
  })
})

describe('a failed fetch or projection', () => {
  it('is tried again from the watermark after a wait that grows and is forgotten after a success [PRJ-23]', () => {
    const log = numbered(1, 2, 3)
    let state = warm(numbered(1, 2))
    state = turn(state, { kind: 'failed', now: START }).state
    expect(nextOf(state)).toEqual({ kind: 'poll', afterSeq: 2, notBefore: START + 1000 })
    state = turn(state, { kind: 'failed', now: START }).state
    expect(nextOf(state)).toMatchObject({ notBefore: START + 2000 })
    state = page(state, log.records).state
    expect(nextOf(state)).toMatchObject({ afterSeq: 3, notBefore: 0 })
  })
})
