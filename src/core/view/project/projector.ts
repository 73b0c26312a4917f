/**
 * The projector of one run as a pure machine over fetched pages: it says what to fetch next and when, and takes the
 * result. A gap makes it STALE until a resync has moved its watermark (PRJ-11); during the replay of a resync gaps are
 * ignored, so a permanent gap costs one resync, one alert and no loop.
 */
import type { LogRecord } from '../../events/event.ts'
import { msFromIso } from '../../time.ts'
import { gapAlert, scanPage } from './gap.ts'
import { incrementalProject, type Projection } from './project-run.ts'
import { replay, type ResyncRequest, type ResyncResponse } from './resync.ts'
import type { RunMeta } from '../fold/run-meta.ts'
import { emptyView, type RunView } from '../fold/run-view.ts'
import { runAlert, type ConsumerNote, type ViewAlert } from '../fold/view-alert.ts'

const LAG_ALERT_MS = 5_000
const LAG_RESYNC_MS = 10_000
const BACKOFF_MS = 1_000
const BACKOFF_MAX_MS = 30_000

/**
 * Why a resync is due. `cold`: nothing is projected yet; `restart`: a stored view has to catch up, old gaps included;
 * `corrupt`: the view cannot be trusted or kept.
 */
export type ResyncReason = 'cold' | 'restart' | 'gap' | 'lag' | 'corrupt'

export interface Stale {
  readonly reason: ResyncReason
  /** Asks for the whole log; otherwise a snapshot and the events after it are enough. */
  readonly full: boolean
  /** The watermark before the batch that made it stale. */
  readonly pre: number
  readonly failures: number
  readonly notBefore: number
}

export interface ProjectorState {
  readonly view: RunView
  readonly stale: Stale | undefined
  readonly lagMs: number
  readonly lagAlerted: boolean
  /** A resync was already made for this lag, and the lag remains. */
  readonly lagResynced: boolean
  readonly failures: number
  readonly notBefore: number
}

export type ProjectorInput =
  | { readonly kind: 'page'; readonly records: readonly LogRecord[]; readonly now: number }
  | { readonly kind: 'resynced'; readonly response: ResyncResponse; readonly now: number }
  /** A fetch or a projection failed; nothing of it was applied (PRJ-23). */
  | { readonly kind: 'failed'; readonly now: number }
  /** A caller has reason to doubt the view. */
  | { readonly kind: 'doubt'; readonly now: number }

export type ProjectorNext =
  | { readonly kind: 'poll'; readonly afterSeq: number; readonly notBefore: number }
  | { readonly kind: 'resync'; readonly request: ResyncRequest; readonly notBefore: number }

export interface ProjectorTurn {
  readonly state: ProjectorState
  readonly alerts: readonly ViewAlert[]
  readonly notes: readonly ConsumerNote[]
}

/**
 * It begins with a replay: of the whole log when it is cold, else of the events after the stored view (PRJ-07, PRJ-15).
 */
export function newProjector(meta: RunMeta, stored?: RunView): ProjectorState {
  const state = { lagMs: 0, lagAlerted: false, lagResynced: false, failures: 0, notBefore: 0 }
  if (stored !== undefined) return { ...state, view: stored, stale: staleBy('restart', stored.lastEventSeq, 0) }
  return { ...state, view: emptyView(meta), stale: staleBy('cold', 0, 0) }
}

export function nextOf(state: ProjectorState): ProjectorNext {
  const { view, stale } = state
  const { runId } = view.meta
  if (stale === undefined) return { kind: 'poll', afterSeq: view.lastEventSeq, notBefore: state.notBefore }
  const request: ResyncRequest = stale.full
    ? { mode: 'FULL', runId }
    : { mode: 'FROM_SNAPSHOT', runId, checkpointSeq: stale.pre }
  return { kind: 'resync', request, notBefore: stale.notBefore }
}

export function turn(state: ProjectorState, input: ProjectorInput): ProjectorTurn {
  switch (input.kind) {
    case 'page':
      return takePage(state, input.records, input.now)
    case 'resynced':
      return takeResync(state, input.response, input.now)
    case 'failed':
      return quiet(backedOff(state, input.now))
    case 'doubt':
      return quiet({ ...state, stale: staleBy('corrupt', state.view.lastEventSeq, input.now) })
  }
}

function takePage(state: ProjectorState, records: readonly LogRecord[], now: number): ProjectorTurn {
  const { view } = state
  const calm = { ...state, failures: 0, notBefore: 0 }
  const { clean, gap } = scanPage(view.lastEventSeq, records)
  const lagged = withLag(calm, records, now)
  if (gap === undefined && lagged.state.lagMs > LAG_RESYNC_MS && !lagged.state.lagResynced) {
    const stale = staleBy('lag', view.lastEventSeq, now)
    return { state: { ...lagged.state, stale, lagResynced: true }, alerts: lagged.alerts, notes: [] }
  }
  const projected = incrementalProject(view, clean)
  const moved = { ...lagged.state, view: projected.view }
  const post = projected.view.lastEventSeq
  // Erased values may still be in this view: only a full replay removes them.
  const erased = clean.some((record) => record.eventType === 'ErasureRecorded')
  if (gap === undefined) {
    return withProjection(erased ? { ...moved, stale: staleBy('corrupt', post, now) } : moved, projected, lagged.alerts)
  }
  const alert = gapAlert(aboutRun(view, records), gap)
  return withProjection({ ...moved, stale: staleBy(erased ? 'corrupt' : 'gap', post, now) }, projected, [
    ...lagged.alerts,
    alert,
  ])
}

function takeResync(state: ProjectorState, response: ResyncResponse, now: number): ProjectorTurn {
  const { stale, view } = state
  if (stale === undefined) return quiet(state)
  const projected = replay(view.meta, response)
  if (projected === undefined) return quiet({ ...state, stale: { ...stale, full: true, notBefore: now } })
  const post = projected.view.lastEventSeq
  // Equal means that the store has nothing newer. Only a gap promised more; for any other reason that is enough.
  const done = stale.reason === 'gap' ? post > stale.pre : post >= stale.pre
  if (!done) return quiet(backedOff(state, now))
  return withProjection({ ...fresh(state), view: projected.view }, unseen(projected, stale.pre), [])
}

/** A replay repeats what was already reported when it was first folded. */
function unseen({ view, alerts, notes }: Projection, pre: number): Projection {
  const isNew = (one: ViewAlert | ConsumerNote): boolean => (one.runSeq ?? 0) > pre
  return { view, alerts: alerts.filter(isNew), notes: notes.filter(isNew) }
}

function staleBy(reason: ResyncReason, pre: number, notBefore: number): Stale {
  return { reason, full: reason === 'cold' || reason === 'corrupt', pre, failures: 0, notBefore }
}

function fresh(state: ProjectorState): ProjectorState {
  return { ...state, stale: undefined, failures: 0, notBefore: 0 }
}

/** The wait doubles with each failure: a store that cannot help is not asked in a busy loop. */
function backedOff(state: ProjectorState, now: number): ProjectorState {
  const { stale } = state
  if (stale === undefined) return { ...state, failures: state.failures + 1, notBefore: now + backoffMs(state.failures) }
  return { ...state, stale: { ...stale, failures: stale.failures + 1, notBefore: now + backoffMs(stale.failures) } }
}

function backoffMs(failures: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** Math.min(failures, 10))
}

/** Age of the oldest event not yet applied; zero when there is none. */
function oldestLagMs(view: RunView, records: readonly LogRecord[], now: number): number {
  const waiting = records.filter((record) => record.runSeq > view.lastEventSeq)
  const oldest = waiting.reduce((least, record) => Math.min(least, msFromIso(record.persistedAt) ?? now), now)
  return now - oldest
}

type Lagged = Pick<ProjectorTurn, 'state' | 'alerts'>

function withLag(state: ProjectorState, records: readonly LogRecord[], now: number): Lagged {
  const lagMs = oldestLagMs(state.view, records, now)
  const isHigh = lagMs > LAG_ALERT_MS
  const lagResynced = state.lagResynced && lagMs > LAG_RESYNC_MS
  const next = { ...state, lagMs, lagAlerted: isHigh, lagResynced }
  if (!isHigh || state.lagAlerted) return { state: next, alerts: [] }
  const { view } = state
  const detail = `The view is ${lagMs} ms behind the log.`
  const alert = runAlert(aboutRun(view, records), 'PROJECTOR_LAG_HIGH', `${view.lastEventSeq}`, detail)
  return { state: next, alerts: [alert] }
}

function aboutRun({ meta }: RunView, records: readonly LogRecord[]): Parameters<typeof runAlert>[0] {
  return { runId: meta.runId, tenantId: records[0]?.tenantId }
}

function withProjection(state: ProjectorState, projected: Projection, alerts: readonly ViewAlert[]): ProjectorTurn {
  return { state, alerts: [...alerts, ...projected.alerts], notes: projected.notes }
}

function quiet(state: ProjectorState): ProjectorTurn {
  return { state, alerts: [], notes: [] }
}
