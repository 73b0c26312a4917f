/** Keeping a fold, after the commit and never in its way: a snapshot only spares the next reader some folding (P-51). */
import { RULES_VERSION } from '../core/run/state.ts'
import { snapshotInterval } from '../core/run/summary.ts'
import type { RunStore } from '../ports/run-store.ts'
import { snapshotBody, type LoadedRun } from './load-run.ts'

export async function keepSnapshot(store: RunStore, run: LoadedRun): Promise<void> {
  const { seq } = run.state
  if (seq - run.snapshotSeq < snapshotInterval(run.state)) return
  run.snapshotSeq = seq
  const body = snapshotBody(run.state)
  await store.putSnapshot(run.row.runKey, { kind: 'state', seq, rulesVersion: RULES_VERSION, body })
}
