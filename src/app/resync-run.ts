/**
 * Serves a resync (PRJ-12, PRJ-13): the whole log from its lowest number to the head, or the newest stored view not
 * beyond the number asked for and every event after *that view*, read page by page to the end. The delta begins where
 * the snapshot ends, not where the asker stood, or what lies between would be lost.
 */
import type { ForeignRecord } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import { problem, type Problem } from '../core/problems/problem.ts'
import { ok, refused, type Result } from '../core/result.ts'
import type { ResyncRequest, ResyncResponse } from '../core/view/resync.ts'
import { VIEW_VERSION } from '../core/view/stored-view.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import { envelopeOf } from './read-events.ts'

export async function resyncRun(
  store: Pick<RunStore, 'findRun' | 'readEvents' | 'getSnapshot'>,
  tenantId: string,
  request: ResyncRequest,
): Promise<Result<ResyncResponse>> {
  const { runId } = request
  const row = await store.findRun({ tenantId, runId })
  if (row === undefined) return refused(problem('RUN_NOT_FOUND', `There is no run '${runId}'.`))
  const stored = request.mode === 'FULL' ? undefined : await store.getSnapshot(row.runKey, 'view', request.snapshotSeq)
  const usable = stored?.rulesVersion === VIEW_VERSION ? stored : undefined
  const events = await readLog(store, row.runKey, usable?.seq ?? 0)
  if (!events.ok) return events
  if (usable === undefined) return ok({ mode: 'FULL', runId, events: events.value })
  const snapshot = { lastEventSeq: usable.seq, body: usable.body }
  return ok({ mode: 'FROM_SNAPSHOT', runId, snapshot, events: events.value })
}

/** Every record after a number, up to `untilSeq` or the head. */
export async function readLog(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  afterSeq: number,
  untilSeq = Number.POSITIVE_INFINITY,
): Promise<Result<readonly ForeignRecord[]>> {
  const records: ForeignRecord[] = []
  const problems: Problem[] = []
  for (let last = afterSeq; last < untilSeq;) {
    const page = await store.readEvents(runKey, { afterSeq: last, limit: LIMITS.fetchPageEvents })
    for (const stored of page) {
      last = Math.max(last, stored.runSeq)
      if (stored.runSeq > untilSeq) continue
      const read = envelopeOf(stored)
      if (read.ok) records.push(read.value)
      else problems.push(...read.problems)
    }
    if (page.length === 0) break
  }
  return problems.length === 0 ? ok(records) : refused(...problems)
}
