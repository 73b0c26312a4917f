/**
 * The row of an imported run: made before its events, and brought up to date after them. Both are commits without events, so the log
 * has one writer: the open append. After a crash in between, the same import finishes its work.
 */
import type { RunIdentity } from '../../core/events/event.ts'
import { FOREIGN, isForeign } from '../../core/engine/engine-type.ts'
import { fail } from '../../core/problems/problem.ts'
import { importedSummary } from '../../core/view/show/imported-summary.ts'
import { unwrap } from '../../core/result.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { archivedError } from '../loaded/run-trouble.ts'
import { readLog } from '../project/resync-run.ts'
import { foreignRef } from './read-foreign.ts'

/** The stored run that a log may be added to; undefined when there is none yet. */
export async function importableRun(store: RunStore, identity: RunIdentity): Promise<RunRow | undefined> {
  const row = await store.findRun(identity)
  if (row === undefined) return undefined
  if (row.archivedAt !== undefined) throw archivedError(row)
  if (isForeign(row)) return row
  return fail('RUN_ALREADY_EXISTS', `run ${row.runId} was started here; a log from elsewhere cannot be added to it`)
}

export async function createImported(store: RunStore, identity: RunIdentity, planSha256: string): Promise<RunRow> {
  const create = { ...identity, planSha256, engineType: FOREIGN, engineRunRef: foreignRef(identity.runId) }
  const summary = importedSummary(identity.runId, [])
  await store.commit([{ create, expected: { epoch: 1, nextSeq: 1 }, events: [], summary }])
  // Another process may have made it meanwhile.
  return (await importableRun(store, identity)) ?? fail('INTERNAL', `run ${identity.runId} was not stored`)
}

/** Two imports of one run at the same time: the later one sums up both. */
export async function sumUp(store: RunStore, { runKey, runId }: RunRow): Promise<RunRow> {
  for (;;) {
    const row = (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run ${runId}`)
    const { epoch, nextSeq } = row
    const summary = importedSummary(runId, unwrap(await readLog(store, runKey, 0, nextSeq - 1)))
    const [result] = await store.commit([{ runKey, expected: { epoch, nextSeq }, events: [], summary }])
    if (result?.kind === 'committed') return { ...row, ...summary }
  }
}
