/** A run's row as scripts see it: without what only drivers need. */
import type { RunRow } from '../../../ports/run-store.ts'

export function publicRow({ runKey: _key, headHash: _head, lease: _lease, ...row }: RunRow): object {
  return row
}
