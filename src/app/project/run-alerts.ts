/**
 * The alerts of a run, made again from its log, in its order: the same log gives the same alerts with the same ids. How far a
 * follower lags is nothing that a log tells; that alert is told only while it happens.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Result } from '../../core/result.ts'
import { msFromIso } from '../../core/time.ts'
import type { LogRecord } from '../../core/events/event.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import { emptyView } from '../../core/view/fold/run-view.ts'
import type { ViewAlert } from '../../core/view/fold/view-alert.ts'
import { gapAlert } from '../../core/view/project/gap.ts'
import { detectNonContiguous, incrementalProject } from '../../core/view/project/project-run.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { PlanShelf } from '../plans/load.ts'
import { metaOf } from './read-snapshot.ts'
import { logPages } from './resync-run.ts'

/** Up to the first record that cannot be read, if there is one. `sinceMs`: only of events stored at or after it. */
export async function* runAlerts(
  store: Pick<RunStore, 'readEvents'>,
  plans: PlanShelf,
  row: RunRow,
  sinceMs = Number.NEGATIVE_INFINITY,
): AsyncGenerator<ViewAlert> {
  yield* alertsOf(row, await metaOrBare(plans, row), readable(logPages(store, row.runKey, 0)), sinceMs)
}

async function* readable(
  pages: AsyncIterable<Result<readonly LogRecord[]>>,
): AsyncGenerator<readonly LogRecord[], void> {
  for await (const page of pages) {
    if (!page.ok) return
    yield page.value
  }
}

/** The same of a log that is read elsewhere, page by page. */
export async function* alertsOf(
  row: RunRow,
  meta: RunMeta,
  pages: AsyncIterable<readonly LogRecord[]>,
  sinceMs: number,
): AsyncGenerator<ViewAlert, void> {
  let view = emptyView(meta)
  let last: number | undefined
  for await (const page of pages) {
    const projected = incrementalProject(view, page)
    const inOrder = [...gapAlerts(row, page, last), ...projected.alerts].toSorted(
      (a, b) => (a.runSeq ?? 0) - (b.runSeq ?? 0),
    )
    for (const alert of inOrder) if ((msFromIso(alert.persistedAt ?? '') ?? 0) >= sinceMs) yield alert
    view = projected.view
    last = view.lastEventSeq
  }
}

/** A plan that is gone or was altered has no edges to compare with: that detection is off then, not wrong (PRJ-27). */
export async function metaOrBare(plans: PlanShelf, row: RunRow): Promise<RunMeta> {
  try {
    return await metaOf(plans, row)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return { runId: row.runId, stepIds: [], engineType: row.engineType }
  }
}

/** Each with the event that came after the gap. Where a log begins is no gap. */
function gapAlerts(row: RunRow, records: readonly LogRecord[], before: number | undefined): readonly ViewAlert[] {
  return records.flatMap(({ runSeq, persistedAt }, at) => {
    const after = records[at - 1]?.runSeq ?? before
    if (after === undefined || !detectNonContiguous(after, runSeq).observedNonContiguous) return []
    return [{ ...gapAlert(row, { after, before: runSeq }), runSeq, persistedAt }]
  })
}
