/** A run's row for scripts: without fields that only drivers need. */
import { compensationOf } from '../../../app/loaded/compensation-run-id.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { RunRow } from '../../../ports/run-store.ts'

/** A run that failed before it started, and has no other code, was refused for its plan or engine: its report says why. */
export function errorCodeOf({ errorCode, status, startedAt }: RunRow): string | undefined {
  return errorCode ?? (status === 'FAILED' && startedAt === undefined ? 'PLAN_VALIDATION_FAILED' : undefined)
}

export function publicRow(whole: RunRow): object {
  const { runKey: _key, headHash: _head, lease: _lease, ...row } = whole
  const undone = compensationOf(row)
  const errorCode = errorCodeOf(whole)
  const { status, nextWakeAt } = row
  return {
    ...row,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(undone === undefined ? {} : { compensationOf: undone }),
    // Before its start a run is only ever woken at the instant it was delayed to.
    ...(status === 'PENDING' && nextWakeAt !== undefined ? { notBefore: isoFromMs(nextWakeAt) } : {}),
  }
}
