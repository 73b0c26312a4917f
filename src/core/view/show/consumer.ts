/**
 * What a reader of the log outside the server does (UIC-01 … UIC-06): polls by watermark, and after a jump marks its
 * copy as stale until a resync has brought it to the highest number it saw. STALE is the reader's own mark,
 * never a status of the run.
 */
import type { LogRecord } from '../../events/event.ts'
import { isTerminalRun } from '../../run/state/transitions.ts'
import { scanPage } from '../project/gap.ts'
import { incrementalProject } from '../project/project-run.ts'
import { replay, type ResyncRequest, type ResyncResponse } from '../project/resync.ts'
import type { RunMeta } from '../fold/run-meta.ts'
import type { RunSnapshot } from '../fold/run-snapshot.ts'
import { emptyView, type RunView } from '../fold/run-view.ts'
import { snapshotOf } from './snapshot-of.ts'

export interface ConsumerState {
  readonly view: RunView
  /** The highest number seen beyond a gap; undefined while the copy is fresh. */
  readonly staleUpTo: number | undefined
  /** The last snapshot could not be used: ask for the whole log. */
  readonly full: boolean
}

export type ConsumerNext =
  { readonly kind: 'poll'; readonly afterSeq: number } | { readonly kind: 'resync'; readonly request: ResyncRequest }

/** For screens: the snapshot, and whether its copy is known to be behind. */
export type ShownRun = RunSnapshot & { readonly stale: boolean }

export function newConsumer(meta: RunMeta): ConsumerState {
  return { view: emptyView(meta), staleUpTo: undefined, full: false }
}

export function consumerNext({ view, staleUpTo, full }: ConsumerState): ConsumerNext {
  if (staleUpTo === undefined) return { kind: 'poll', afterSeq: view.lastEventSeq }
  const { runId } = view.meta
  if (full) return { kind: 'resync', request: { mode: 'FULL', runId } }
  return { kind: 'resync', request: { mode: 'FROM_SNAPSHOT', runId, checkpointSeq: view.lastEventSeq } }
}

export function takePoll(state: ConsumerState, page: readonly LogRecord[]): ConsumerState {
  const { clean, gap, upper } = scanPage(state.view.lastEventSeq, page)
  const { view } = incrementalProject(state.view, clean)
  return gap === undefined ? { ...state, view } : { ...state, view, staleUpTo: upper }
}

export function takeResyncAnswer(state: ConsumerState, response: ResyncResponse): ConsumerState {
  const replayed = replay(state.view.meta, response)?.view
  if (replayed === undefined) return { ...state, full: true }
  if (replayed.lastEventSeq < state.view.lastEventSeq) return state
  const isFresh = replayed.lastEventSeq >= (state.staleUpTo ?? 0)
  const staleUpTo = isFresh ? undefined : state.staleUpTo
  return { view: replayed, staleUpTo, full: false }
}

/** `engineSubstatus` is what only the engine knows; it is shown unchanged, and only where the log says nothing. */
export function shownRun(state: ConsumerState, engineSubstatus?: string): ShownRun {
  const snapshot = snapshotOf(state.view)
  const added = engineSubstatus !== undefined && snapshot.substatus === undefined && !isTerminalRun(snapshot.status)
  return { ...snapshot, ...(added ? { substatus: engineSubstatus } : {}), stale: state.staleUpTo !== undefined }
}

/** The number to monitor: how far the copy has come, not whether gaps have closed (UIC-06). */
export function watermarkOf({ view, staleUpTo }: ConsumerState): {
  readonly lastEventSeq: number
  readonly seenUpTo: number
} {
  return { lastEventSeq: view.lastEventSeq, seenUpTo: Math.max(view.lastEventSeq, staleUpTo ?? 0) }
}
