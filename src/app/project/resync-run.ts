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
import { LIMITS } from '../../core/limits.ts'
import type { RunKey, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'
import { fittingView } from './stored-views.ts'

export async function resyncRun(
  store: Pick<RunStore, 'findRun' | 'readEvents' | 'getCheckpoint'>,
  tenantId: string,
  request: ResyncRequest,
): Promise<Result<ResyncResponse>> {
  const { runId } = request
  const row = await store.findRun({ tenantId, runId })
  if (row === undefined) return refused(problem('RUN_NOT_FOUND', `There is no run '${runId}'.`))
  const usable = request.mode === 'FULL' ? undefined : await fittingView(store, row.runKey, request.checkpointSeq)
  const events = await readLog(store, row.runKey, usable?.seq ?? 0)
  if (!events.ok) return events
  if (usable === undefined) return ok({ mode: 'FULL', runId, events: events.value })
  const snapshot = { lastEventSeq: usable.seq, body: usable.text }
  return ok({ mode: 'FROM_SNAPSHOT', runId, snapshot, events: events.value })
}

/** Every record after a number, up to `untilSeq` or the head. */
export async function readLog(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  afterSeq: number,
  untilSeq?: number,
): Promise<Result<readonly LogRecord[]>> {
  const records: LogRecord[] = []
  for await (const page of logPages(store, runKey, afterSeq, untilSeq)) {
    if (!page.ok) return page
    appendAll(records, page.value)
  }
  return ok(records)
}

/** The same page by page, up to `untilSeq` or the head. A page with a record that cannot be read is the last. */
export async function* logPages(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  afterSeq: number,
  untilSeq = Number.POSITIVE_INFINITY,
): AsyncGenerator<Result<readonly LogRecord[]>> {
  for (let after = afterSeq; after < untilSeq;) {
    const limit = Math.min(LIMITS.fetchPageEvents, untilSeq - after)
    const page = await store.readEvents(runKey, { afterSeq: after, limit })
    const last = page.at(-1)
    if (last === undefined) return
    after = last.runSeq
    const read = recordsOf(page.filter(({ runSeq }) => runSeq <= untilSeq))
    yield read
    if (!read.ok) return
  }
}

function recordsOf(page: readonly StoredEvent[]): Result<readonly LogRecord[]> {
  const records: LogRecord[] = []
  const problems: Problem[] = []
  for (const stored of page) {
    const read = envelopeOf(stored)
    if (read.ok) records.push(read.value)
    else appendAll(problems, read.problems)
  }
  return okUnless(problems, records)
}
