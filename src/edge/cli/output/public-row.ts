/** A run's row for scripts: without fields that only drivers need. */
import { compensationOf } from '../../../app/loaded/compensation-run-id.ts'
import type { RunRow } from '../../../ports/run-store.ts'

export function publicRow({ runKey: _key, headHash: _head, lease: _lease, ...row }: RunRow): object {
  const undone = compensationOf(row)
  return undone === undefined ? row : { ...row, compensationOf: undone }
}
