/**
 * Stores a checkpoint of the fold, after the commit: it only saves the next reader some folding (P-51). So no step waits
 * for it, none is kept of a run that has ended, and one that cannot be stored is no trouble of the run.
 */
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { RULES_VERSION } from '../../core/run/state/state.ts'
import { checkpointInterval } from '../../core/run/summary.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { checkpointBody, type LoadedRun } from './load-run.ts'

export function isCheckpointDue({ state, checkpointSeq }: LoadedRun): boolean {
  const { seq, status } = state
  return !(isTerminalRun(status) || seq - checkpointSeq < checkpointInterval(state))
}

/** Resolves when it is stored, or not: whoever drives the run does not wait for it. */
export async function keepCheckpoint(store: RunStore, run: LoadedRun): Promise<void> {
  const { seq } = run.state
  run.checkpointSeq = seq
  try {
    const body = checkpointBody(run.state)
    await store.putCheckpoint(run.row.runKey, { kind: 'state', seq, rulesVersion: RULES_VERSION, body })
  } catch {
    // The log is whole without it. A store in trouble is told by the next commit; the next checkpoint is due in its turn.
  }
}
