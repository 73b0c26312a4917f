/**
 * What a commit would wait for in the database while another commit has it: the row of its run, or the names of a new run, and the
 * rows of the runs that it tells something. Two batches on their way at once have none of them in common.
 */
import type { RunCommit, RunKey, RunRef } from '../../ports/run-store.ts'

export function rowsOf({ runKey, create, notify }: RunCommit): readonly (RunKey | string)[] {
  const rows: (RunKey | string)[] = runKey === undefined ? [] : [runKey]
  if (create !== undefined) rows.push(named(create))
  if (create?.requestKey !== undefined) rows.push(`${create.tenantId} asked ${create.requestKey}`)
  // A parent's own commits go by its key: the store passes over the row of one that is just being told something (P-08).
  for (const { run } of notify ?? []) rows.push(named(run))
  return rows
}

function named({ tenantId, runId }: RunRef): string {
  return `${tenantId} run ${runId}`
}
