/** A run's row as scripts see it: without what only drivers need. */
import { compensationOf } from '../../../app/undo-run-id.ts'
import type { RunRow } from '../../../ports/run-store.ts'

export function publicRow({ runKey: _key, headHash: _head, lease: _lease, ...row }: RunRow): object {
  const undone = compensationOf(row)
  return undone === undefined ? row : { ...row, compensationOf: undone }
}
