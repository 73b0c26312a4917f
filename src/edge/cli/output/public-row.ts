/** A run's row for scripts: without fields that only drivers need. */
import { compensationOf } from '../../../app/loaded/compensation-run-id.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { RunRow } from '../../../ports/run-store.ts'

export function publicRow({ runKey: _key, headHash: _head, lease: _lease, ...row }: RunRow): object {
  const undone = compensationOf(row)
  const { status, nextWakeAt } = row
  return {
    ...row,
    ...(undone === undefined ? {} : { compensationOf: undone }),
    // Before its start a run is only ever woken at the instant it was delayed to.
    ...(status === 'PENDING' && nextWakeAt !== undefined ? { notBefore: isoFromMs(nextWakeAt) } : {}),
  }
}
