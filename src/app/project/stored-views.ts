/**
 * Views that the store keeps, so that a reader folds only what came after (P-51). The log stays the truth: a view is used
 * only when its bytes are whole, when it is of this version, and when the log has the very event that it ends at.
 */
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import { slotCount, type RunView } from '../../core/view/fold/run-view.ts'
import { VIEW_VERSION, viewFromText, viewToText } from '../../core/view/project/stored-view.ts'
import { LIMITS } from '../../core/limits.ts'
import type { RunKey, RunStore, StoredCheckpoint } from '../../ports/run-store.ts'
import { hexOf, sha256Hex } from '../log/sha256.ts'
import { eventAt } from '../log/stored-events.ts'

const HASH_CHARS = 64
const SEPARATOR = '\n'

export type ViewReads = Pick<RunStore, 'readEvents' | 'getCheckpoint'>

/** A stored view as text, and the hash of the event it ends at. */
export interface KeptView {
  readonly seq: number
  readonly text: string
  readonly chainHash: string
}

/** After the hash of all of it: the hash of the event that the view ends at, and the view. */
export function viewBody(view: RunView, chainHash: string): string {
  const text = chainHash + SEPARATOR + viewToText(view)
  return sha256Hex(text) + text
}

/** Undefined when it is damaged, or of another version. */
export function keptViewOf({ seq, rulesVersion, body }: StoredCheckpoint): KeptView | undefined {
  const all = body.slice(HASH_CHARS)
  if (rulesVersion !== VIEW_VERSION || body.slice(0, HASH_CHARS) !== sha256Hex(all)) return undefined
  const end = all.indexOf(SEPARATOR)
  return { seq, text: all.slice(end + 1), chainHash: all.slice(0, end) }
}

/** The newest stored view not beyond a number, if it fits the log. */
export async function fittingView(store: ViewReads, runKey: RunKey, maxSeq?: number): Promise<KeptView | undefined> {
  const stored = await store.getCheckpoint(runKey, 'view', maxSeq)
  const kept = stored === undefined ? undefined : keptViewOf(stored)
  if (kept === undefined) return undefined
  const last = await eventAt(store, runKey, kept.seq)
  return last !== undefined && hexOf(last.chainHash) === kept.chainHash ? kept : undefined
}

export async function storedView(
  store: ViewReads,
  runKey: RunKey,
  meta: RunMeta,
  maxSeq?: number,
): Promise<RunView | undefined> {
  const kept = await fittingView(store, runKey, maxSeq)
  const view = kept === undefined ? undefined : viewFromText(kept.text, meta)
  return view?.lastEventSeq === kept?.seq ? view : undefined
}

/** A view grows with its slots: a larger one is stored less often, but for the last one, which nothing will follow. */
export function isWorthKeeping(view: RunView, savedSeq: number): boolean {
  const slots = isTerminalRun(view.run.status) ? 0 : slotCount(view)
  return view.lastEventSeq - savedSeq >= Math.max(LIMITS.checkpointEveryEvents, slots)
}

export async function saveView(
  store: ViewReads & Pick<RunStore, 'putCheckpoint'>,
  runKey: RunKey,
  view: RunView,
): Promise<void> {
  const seq = view.lastEventSeq
  const last = await eventAt(store, runKey, seq)
  if (last === undefined) return
  const body = viewBody(view, hexOf(last.chainHash))
  await store.putCheckpoint(runKey, { kind: 'view', seq, rulesVersion: VIEW_VERSION, body })
}
