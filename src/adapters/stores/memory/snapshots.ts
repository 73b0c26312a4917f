/** Snapshots of a run, two kinds (P-51): caches of the log that may be dropped at any time. */
import type { SnapshotKind, StoredSnapshot } from '../../../ports/run-store.ts'
import type { MemoryRun } from './connect.ts'

export function putSnapshot(run: MemoryRun | undefined, snapshot: StoredSnapshot): void {
  run?.snapshots.set(`${snapshot.kind}:${snapshot.seq}`, Object.freeze({ ...snapshot }))
}

export function getSnapshot(
  run: MemoryRun | undefined,
  kind: SnapshotKind,
  maxSeq: number = Number.MAX_SAFE_INTEGER,
): StoredSnapshot | undefined {
  const fitting = [...(run?.snapshots.values() ?? [])].filter((one) => one.kind === kind && one.seq <= maxSeq)
  return fitting.sort((a, b) => b.seq - a.seq)[0]
}

export function eraseSnapshots(run: MemoryRun, upToSeq: number): void {
  for (const [key, { seq }] of run.snapshots) if (seq <= upToSeq) run.snapshots.delete(key)
}
