/** The row of a run as a server shows it, in the form that commands read. */
import { fail } from '../../../core/problems/problem.ts'
import type { RunRow } from '../../../ports/run-store.ts'

interface Shown {
  readonly executionId: string
  readonly row?: Readonly<Record<string, unknown>>
}

/** The key and the head of its log stay with the store; a lease is there as long as somebody drives it. */
export function rowOf({ executionId, row }: Shown): RunRow {
  if (row === undefined)
    return fail(
      'SERVER_NOT_KEELSON',
      `the server does not show the row of run ${executionId}; it may be older than this program`,
    )
  const { driven, ...shown } = row
  const lease = driven === true ? { lease: { owner: '', until: Number.MAX_SAFE_INTEGER } } : {}
  return { ...shown, ...lease, runKey: 0, headHash: new Uint8Array(32) } as unknown as RunRow
}
