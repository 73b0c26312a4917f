import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../test/fixtures/log-builder.ts'
import { logStore, type LogStore } from '../../../test/fixtures/log-store.ts'
import { META, richLog, started } from '../../../test/fixtures/seen-run.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { msFromIso } from '../../core/time.ts'
import { projectRun } from '../../core/view/project/project-run.ts'
import type { RunView } from '../../core/view/fold/run-view.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import { VIEW_VERSION } from '../../core/view/project/stored-view.ts'
import type { ViewAlert } from '../../core/view/fold/view-alert.ts'
import { readRunView } from './read-view.ts'
import { viewBody } from './stored-views.ts'
import { openProjector, type ProjectorDeps, type RunProjector } from './project-run.ts'

const RUN = { tenantId: 'tenant', runId: 'run-1' }

/** A projector over a store, with the problems it reported and a clock that the test moves. */
async function opened(store: ProjectorDeps['store'], startMs = 0) {
  const clock = { ms: startMs, now: () => (msFromIso(at(0)) ?? 0) + clock.ms }
  const alerts: ViewAlert[] = []
  const errors: unknown[] = []
  const deps: ProjectorDeps = { store, clock, onAlert: (one) => alerts.push(one), onError: (one) => errors.push(one) }
  const result = await openProjector(deps, RUN, META)
  if (!result.ok) throw new Error(result.problems[0]?.message)
  const projector: RunProjector = result.value
  return { projector, clock, alerts, errors }
}
function longLog(steps: number): readonly LogRecord[] {
  const log = started()
  for (let i = 0; i < steps; i += 1)
    log.add('StepStarted', { stepId: `s${i}`, atMs: 0 }).add('StepCompleted', { stepId: `s${i}`, atMs: 0 })
  return log.records
}
const shown = (view: RunView) => snapshotOf(view)
const expected = (records: readonly LogRecord[]) => snapshotOf(projectRun(META, records).view)

describe('a projector over a store', () => {
  it('folds a log from cold to its head and waits there [PRJ-15]', async () => {
    const { records } = richLog()
    const { projector } = await opened(logStore(records))
    expect(await projector.pump()).toMatchObject({ kind: 'poll', afterSeq: records.length })
    expect(shown(projector.state().view)).toEqual(expected(records))
  })

  it('comes to the same view when it is killed after applying and before its checkpoint [PRJ-07]', async () => {
    const whole = longLog(2500)
    const records = whole.slice(0, 2002)
    const store = logStore(records)
    const first = await opened(store)
    await first.projector.pump()
    expect(store.snapshots.map((one) => one.seq)).toEqual([2002])
    records.push(...whole.slice(2002))
    const killed = await opened({ ...store, putCheckpoint: () => Promise.reject(new Error('killed')) })
    await killed.projector.pump()
    expect(killed.errors.length).toBeGreaterThan(0)
    expect(store.snapshots).toHaveLength(1)
    store.reads.length = 0
    const again = await opened(store)
    expect(again.projector.state().view.lastEventSeq).toBe(2002)
    await again.projector.pump()
    expect(shown(again.projector.state().view)).toEqual(expected(whole))
    // The event that the view ends at is read again: the log must have it.
    expect(store.reads.every(({ afterSeq }) => afterSeq >= 2001)).toBe(true)
  })

  it('stores the view of a fan-out no more often than it has items', async () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('FanOutExpanded', { stepId: 'a', payload: { count: 3000 } })
    for (let itemIndex = 0; itemIndex < 3000; itemIndex += 1) {
      log
        .add('StepStarted', { stepId: 'a', itemIndex, atMs: 0 })
        .add('StepCompleted', { stepId: 'a', itemIndex, atMs: 0 })
    }
    const records = log.records.slice(0, 4)
    const store = logStore(records)
    const { projector } = await opened(store)
    await projector.pump()
    records.push(...log.records.slice(4))
    await projector.pump()
    expect(store.snapshots.map((one) => one.seq)).toEqual([3004])
    expect(shown(projector.state().view).steps[0]?.items).toMatchObject({ total: 3000, done: 3000 })
  })

  it('still shows a run draining after a restart, with nothing to ask but the log [STO-27]', async () => {
    const draining = started()
      .add('StepStarted', { stepId: 'a', atMs: 0 })
      .add('StepStarted', { stepId: 'b', atMs: 0 })
      .add('RunPaused', { atMs: 0 })
    const records = [...draining.records]
    const store = logStore(records)
    const body = viewBody(projectRun(META, records).view, records.at(-1)?.chainHash ?? '')
    store.snapshots.push({ kind: 'view', seq: records.length, rulesVersion: VIEW_VERSION, body })
    const { projector } = await opened(store)
    await projector.pump()
    expect(shown(projector.state().view)).toMatchObject({
      status: 'PAUSED',
      substatus: 'DRAINING',
      message: '2 in-flight tasks',
    })
    records.push(...draining.add('StepCompleted', { stepId: 'a', atMs: 0 }).records.slice(-1))
    await projector.pump()
    expect(shown(projector.state().view).message).toBe('1 in-flight task')
  })

  it('gives up a damaged stored view and folds the log anew [PRJ-15]', async () => {
    const { records } = richLog()
    const store = logStore(records)
    store.snapshots.push({ kind: 'view', seq: 5, rulesVersion: 1, body: '{"half":' })
    const { projector } = await opened(store)
    await projector.pump()
    expect(shown(projector.state().view)).toEqual(expected(records))
  })

  it('publishes each new view after its watermark moved, never an older one [PRJ-26]', async () => {
    const records: LogRecord[] = []
    const { projector } = await opened(logStore(records))
    const seen: number[] = []
    let atPublish = true
    projector.subscribe((view) => {
      atPublish &&= projector.state().view === view
      seen.push(view.lastEventSeq)
    })
    const all = richLog().records.map((one) => ({ ...one, persistedAt: at(0) }))
    for (const record of all) {
      records.push(record)
      await projector.pump()
      await projector.pump()
    }
    expect(seen).toEqual(all.map((one) => one.runSeq))
    expect(atPublish).toBe(true)
  })

  it('lives on when a subscriber throws, and stops publishing to who left', async () => {
    const records: LogRecord[] = [...started().records]
    const { projector, errors } = await opened(logStore(records))
    const seen: number[] = []
    const leave = projector.subscribe(() => {
      throw new Error('subscriber')
    })
    projector.subscribe((view) => seen.push(view.lastEventSeq))
    await projector.pump()
    leave()
    records.push(...started().add('RunCompleted').records.slice(-1))
    await projector.pump()
    expect(seen).toEqual([2, 3])
    expect(errors).toHaveLength(1)
  })

  it('tries again from its watermark after a failed projection, and reports the error [PRJ-23]', async () => {
    const records = [...started().records]
    const store = logStore(records)
    let failures = 0
    const flaky: LogStore = {
      ...store,
      readEvents(runKey, range) {
        if (range.afterSeq === 2 && records.length > 2 && failures === 0) {
          failures += 1
          return Promise.resolve([{ ...broken }])
        }
        return store.readEvents(runKey, range)
      },
    }
    const { projector, clock, errors } = await opened(flaky)
    await projector.pump()
    records.push(...started().add('RunCompleted').records.slice(-1))
    expect(await projector.pump()).toMatchObject({ kind: 'poll', afterSeq: 2 })
    expect(errors).toHaveLength(1)
    expect(projector.state().view.lastEventSeq).toBe(2)
    clock.ms += 1000
    await projector.pump()
    expect(shown(projector.state().view).status).toBe('COMPLETED')
  })

  it('resyncs a gap once and alerts once [PRJ-09, PRJ-17]', async () => {
    const records: LogRecord[] = [...started().records]
    const { projector, alerts } = await opened(logStore(records))
    await projector.pump()
    records.push(
      ...buildLog().add('RunApproved').add('RunStarted').add('RunCompleted', { runSeq: 5, atMs: 0 }).records.slice(-1),
    )
    await projector.pump()
    await projector.pump()
    expect(alerts.map((one) => one.code)).toEqual(['PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED'])
    expect(shown(projector.state().view)).toMatchObject({ status: 'COMPLETED', lastEventSeq: 5 })
  })

  it('does not ask in a busy loop while the store cannot close a gap [PRJ-11]', async () => {
    const records: LogRecord[] = [...started().records]
    const store = logStore(records)
    let isShown = true
    const hiding: LogStore = {
      ...store,
      async readEvents(runKey, range) {
        const page = await store.readEvents(runKey, range)
        const seen = page.filter((one) => one.runSeq <= 2 || isShown)
        if (page.some((one) => one.runSeq > 2)) isShown = false
        return seen
      },
    }
    const { projector, clock } = await opened(hiding)
    await projector.pump()
    records.push(
      ...buildLog().add('RunApproved').add('RunStarted').add('RunCompleted', { runSeq: 5, atMs: 0 }).records.slice(-1),
    )
    await projector.pump()
    const reads = store.reads.length
    const next = await projector.pump()
    expect(next).toMatchObject({ kind: 'resync' })
    expect(next.notBefore).toBeGreaterThan(clock.now())
    expect(store.reads.length).toBe(reads)
  })

  it('answers for an unknown run with a refusal', async () => {
    const deps: ProjectorDeps = { store: logStore([]), clock: { now: () => 0 } }
    expect(await openProjector(deps, { tenantId: 'other', runId: 'run-1' }, META)).toMatchObject({ ok: false })
  })
})

const broken = {
  runSeq: 3,
  eventType: 'RunCompleted',
  idempotencyKey: new Uint8Array(32),
  record: 'not JSON',
  chainHash: new Uint8Array(32),
  persistedAt: 0,
}

describe('one look at a run', () => {
  it('shows it as of any past number, with or without a stored view', async () => {
    const { records } = richLog()
    const plain = logStore(records)
    const cached = logStore(records)
    const { projector } = await opened(cached)
    await projector.pump()
    const body = viewBody(projectRun(META, records.slice(0, 9)).view, records[8]?.chainHash ?? '')
    cached.snapshots.push({ kind: 'view', seq: 9, rulesVersion: VIEW_VERSION, body })
    for (const store of [plain, cached]) {
      for (const seq of [1, 8, 9, 10, 17, records.length, undefined]) {
        const view = await readRunView(store, 1, META, seq)
        expect(view.ok && shown(view.value)).toEqual(expected(records.slice(0, seq)))
      }
    }
  })
})
