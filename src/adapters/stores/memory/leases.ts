/** Leases and due runs: liveness only; what may be written is decided by compare and set. */
import type { RunRow } from '../../../ports/run-store.ts'
import type { MemoryDisk, MemoryRun } from './connect.ts'

export function acquireLease(
  run: MemoryRun | undefined,
  owner: string,
  now: number,
  until: number,
): RunRow | undefined {
  if (run === undefined || isLeasedByAnother(run.row, owner, now)) return undefined
  run.row = Object.freeze({ ...run.row, lease: Object.freeze({ owner, until }) })
  return run.row
}

export function releaseLease(run: MemoryRun | undefined, owner: string): void {
  if (run?.row.lease?.owner !== owner) return
  const { lease, ...row } = run.row
  run.row = Object.freeze(row)
}

function isLeasedByAnother({ lease }: RunRow, owner: string, now: number): boolean {
  return lease !== undefined && lease.owner !== owner && lease.until > now
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

/** In order of the instant since which they are due, then of their keys. */
export function dueRuns(disk: MemoryDisk, now: number, owner: string, limit: number): readonly RunRow[] {
  const due: { readonly row: RunRow; readonly since: number }[] = []
  for (const run of disk.runs) {
    const since = dueSince(run, now)
    if (since !== undefined && !isLeasedByAnother(run.row, owner, now)) due.push({ row: run.row, since })
  }
  due.sort((a, b) => a.since - b.since || a.row.runKey - b.row.runKey)
  return due.slice(0, limit).map(({ row }) => row)
}

function dueSince({ row, inbox, pending }: MemoryRun, now: number): number | undefined {
  if (row.quarantine !== undefined || ENDED.has(row.status)) return undefined
  const wake = row.nextWakeAt !== undefined && row.nextWakeAt <= now ? row.nextWakeAt : undefined
  const [oldest] = pending
  const letter = oldest === undefined ? undefined : inbox.get(oldest)?.row.insertedAt
  const orphaned = row.owed === true && (row.lease === undefined || row.lease.until <= now)
  const lost = orphaned ? (row.lease?.until ?? row.updatedAt) : undefined
  const since = Math.min(wake ?? Infinity, letter ?? Infinity, lost ?? Infinity)
  return since === Infinity ? undefined : since
}
