/**
 * Serves a resync (PRJ-12, PRJ-13): the whole log from its lowest number to the head, or the newest stored view not
 * beyond the requested number and every event after *that view*, page by page to the end. The delta begins where the
 * snapshot ends, not where the caller stood, or the events between would be lost.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ok, okUnless, refused, type Result } from '../../core/result.ts'
import type { ResyncRequest, ResyncResponse } from '../../core/view/project/resync.ts'
import { VIEW_VERSION } from '../../core/view/project/stored-view.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'

export async function resyncRun(
  store: Pick<RunStore, 'findRun' | 'readEvents' | 'getCheckpoint'>,
  tenantId: string,
  request: ResyncRequest,
): Promise<Result<ResyncResponse>> {
  const { runId } = request
  const row = await store.findRun({ tenantId, runId })
  if (row === undefined) return refused(problem('RUN_NOT_FOUND', `There is no run '${runId}'.`))
  const stored =
    request.mode === 'FULL' ? undefined : await store.getCheckpoint(row.runKey, 'view', request.checkpointSeq)
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
): Promise<Result<readonly LogRecord[]>> {
  const records: LogRecord[] = []
  const problems: Problem[] = []
  for await (const stored of storedEvents(store, runKey, afterSeq)) {
    if (stored.runSeq > untilSeq) break
    const read = envelopeOf(stored)
    if (read.ok) records.push(read.value)
    else appendAll(problems, read.problems)
  }
  return okUnless(problems, records)
}
