/** A run in the words of the HTTP interface: an execution with its links. Fields that only drivers need do not leave. */
import { isoFromMs } from '../../../core/time.ts'
import { executionWord } from '../../../core/view/fold/vocabulary.ts'
import type { RunSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import type { RunRow } from '../../../ports/run-store.ts'

export function pathOf(executionId: string): string {
  return `/v1/executions/${encodeURIComponent(executionId)}`
}

/** The row alone: for lists, where no log is read. */
export function executionOfRow(row: RunRow): Readonly<Record<string, unknown>> {
  const { runId, status, substatus, planId, planVersion, planSha256, engineType, triggeredBy } = row
  const self = pathOf(runId)
  return {
    executionId: runId,
    status,
    state: executionWord({ status, ...(substatus === undefined ? {} : { substatus }) }),
    ...(substatus === undefined ? {} : { substatus }),
    planId,
    planVersion,
    planSha256,
    engine: engineType,
    createdAt: isoFromMs(row.createdAt),
    updatedAt: isoFromMs(row.updatedAt),
    lastEventSeq: row.nextSeq - 1,
    ...(row.errorCode === undefined ? {} : { errorCode: row.errorCode }),
    ...(triggeredBy === undefined ? {} : { triggeredBy }),
    ...(row.originalRunId === undefined ? {} : { originalExecutionId: row.originalRunId }),
    ...(row.parent === undefined ? {} : { parentExecutionId: row.parent.runId }),
    // Before its start a run is only ever woken at the instant it was delayed to.
    ...(status === 'PENDING' && row.nextWakeAt !== undefined ? { notBefore: isoFromMs(row.nextWakeAt) } : {}),
    ...(row.quarantine === undefined ? {} : { quarantine: row.quarantine }),
    ...(row.archivedAt === undefined ? {} : { archivedAt: isoFromMs(row.archivedAt) }),
    links: {
      self,
      events: `${self}/events`,
      stream: `${self}/stream`,
      journal: `${self}/journal`,
      snapshot: `${self}/snapshot`,
      why: `${self}/why`,
    },
  }
}

/** With what the snapshot adds; of a past event the snapshot decides. */
export function executionOf(row: RunRow, snapshot: RunSnapshot): Readonly<Record<string, unknown>> {
  const { status, substatus, message, startedAt, completedAt, lastEventSeq, rootCause } = snapshot
  const { substatus: _old, errorCode: _now, notBefore, ...base } = executionOfRow(row)
  return {
    ...base,
    ...(status === 'PENDING' && notBefore !== undefined ? { notBefore } : {}),
    status,
    state: executionWord({ status, ...(substatus === undefined ? {} : { substatus }) }),
    ...(substatus === undefined ? {} : { substatus }),
    ...(message === undefined ? {} : { message }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(rootCause === undefined ? {} : { error: rootCause }),
    lastEventSeq,
  }
}

/** `Retry-After` of an execution: when to look again (API-07). */
export function retryAfterOf(status: string): Readonly<Record<string, string>> {
  if (status === 'FAILED') return { 'retry-after': '10' }
  const isOver = status === 'COMPLETED' || status === 'CANCELLED'
  return isOver ? {} : { 'retry-after': '5' }
}
