/** Cached folds of a run, of two kinds (P-51): they may be dropped at any time. */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { CheckpointKind, StoredCheckpoint } from '../../../ports/run-store.ts'
import type { MemoryRun } from './connect.ts'

export function putCheckpoint(run: MemoryRun | undefined, snapshot: StoredCheckpoint): void {
  if (run === undefined || (isTerminalRun(run.row.status) && (run.events.at(-1)?.runSeq ?? 0) !== snapshot.seq)) return
  run.snapshots.set(`${snapshot.kind}:${snapshot.seq}`, Object.freeze({ ...snapshot }))
}

export function getCheckpoint(
  run: MemoryRun | undefined,
  kind: CheckpointKind,
  maxSeq: number = Number.MAX_SAFE_INTEGER,
): StoredCheckpoint | undefined {
  const fitting = [...(run?.snapshots.values() ?? [])].filter((one) => one.kind === kind && one.seq <= maxSeq)
  return fitting.sort((a, b) => b.seq - a.seq)[0]
}

export function eraseCheckpoints(run: MemoryRun, upToSeq: number): void {
  for (const [key, { seq }] of run.snapshots) if (seq <= upToSeq) run.snapshots.delete(key)
}
