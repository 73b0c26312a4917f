/**
 * One read of a run's view, now or as of a past number: the nearest stored view and what follows it, page by page (STO-10).
 * A stored view that an erasure follows is not used: it may hold what was erased.
 */
import { ok, type Result } from '../../core/result.ts'
import { incrementalProject } from '../../core/view/project/project-run.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import { emptyView, type RunView } from '../../core/view/fold/run-view.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { isWorthKeeping, saveView, storedView, type ViewReads } from './stored-views.ts'
import { logPages } from './resync-run.ts'

interface ReadView {
  readonly view: RunView
  /** An erasure was among what was read. */
  readonly isErased: boolean
}

export async function readRunView(
  store: ViewReads,
  runKey: RunKey,
  meta: RunMeta,
  atSeq?: number,
): Promise<Result<RunView>> {
  const read = await readFrom(store, runKey, await storedView(store, runKey, meta, atSeq), meta, atSeq)
  return read.ok ? ok(read.value.view) : read
}

/** Projected from the whole log, whatever is stored. */
export async function projectAnew(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  meta: RunMeta,
): Promise<Result<RunView>> {
  const read = await fold(store, runKey, emptyView(meta))
  return read.ok ? ok(read.value.view) : read
}

/** Stores the view of the run as it is now, if enough has happened since the last. Answers the number of the newest. */
export async function keepView(
  store: ViewReads & Pick<RunStore, 'putCheckpoint'>,
  runKey: RunKey,
  meta: RunMeta,
): Promise<number> {
  const stored = await storedView(store, runKey, meta)
  const read = await readFrom(store, runKey, stored, meta)
  const savedSeq = stored?.lastEventSeq ?? 0
  // Nothing is kept of a run that was erased: its values may still be in what was read.
  if (!read.ok || read.value.isErased || !isWorthKeeping(read.value.view, savedSeq)) return savedSeq
  await saveView(store, runKey, read.value.view)
  return read.value.view.lastEventSeq
}

async function readFrom(
  store: ViewReads,
  runKey: RunKey,
  from: RunView | undefined,
  meta: RunMeta,
  atSeq?: number,
): Promise<Result<ReadView>> {
  const read = await fold(store, runKey, from ?? emptyView(meta), atSeq)
  const isUsable = !read.ok || from === undefined || !read.value.isErased
  return isUsable ? read : fold(store, runKey, emptyView(meta), atSeq)
}

async function fold(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  from: RunView,
  atSeq?: number,
): Promise<Result<ReadView>> {
  let view = from
  let isErased = false
  for await (const page of logPages(store, runKey, from.lastEventSeq, atSeq)) {
    if (!page.ok) return page
    isErased ||= page.value.some(({ eventType }) => eventType === 'ErasureRecorded')
    view = incrementalProject(view, page.value).view
  }
  return ok({ view, isErased })
}
