/** Leases and due runs: liveness only; what may be written is decided by compare and set. */
import { OUTSIDE_ENGINES } from '../../../core/run/engines.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { MemoryDisk, MemoryRun } from './connect.ts'

export function acquireLease(
  run: MemoryRun | undefined,
  owner: string,
  now: number,
  until: number,
  gone?: string,
): RunRow | undefined {
  if (run === undefined) return undefined
  const { lease: last, deaths: before = 0, ...row } = run.row
  if (last?.owner !== gone && isLeasedByAnother(run.row, owner, now)) return undefined
  const deaths = last === undefined ? 0 : last.owner === owner ? before : before + 1
  run.row = Object.freeze({ ...row, ...(deaths === 0 ? {} : { deaths }), lease: Object.freeze({ owner, until }) })
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
const OUTSIDE: ReadonlySet<string> = new Set(OUTSIDE_ENGINES)

interface Waiting {
  readonly row: RunRow
  readonly since: number
}

/** In order of the instant since which they wait, then of their keys. */
function earliest(waiting: readonly Waiting[], limit: number): readonly RunRow[] {
  const inOrder = waiting.toSorted((a, b) => a.since - b.since || a.row.runKey - b.row.runKey)
  return inOrder.slice(0, limit).map(({ row }) => row)
}

export function dueRuns(disk: MemoryDisk, now: number, owner: string, limit: number): readonly RunRow[] {
  const due: Waiting[] = []
  for (const run of disk.runs) {
    const since = dueSince(run, now)
    if (since < Infinity && !isLeasedByAnother(run.row, owner, now)) due.push({ row: run.row, since })
  }
  return earliest(due, limit)
}

function dueSince(run: MemoryRun, now: number): number {
  const { row } = run
  if (!isLive(row) || OUTSIDE.has(row.engineType)) return Infinity
  const wake = row.nextWakeAt !== undefined && row.nextWakeAt <= now ? row.nextWakeAt : Infinity
  const orphaned = row.owed === true && (row.lease === undefined || row.lease.until <= now)
  const lost = orphaned ? (row.lease?.until ?? row.updatedAt) : Infinity
  return Math.min(wake, letterSince(run), lost)
}

/** Since an instant not after `until`. */
export function stalledRuns(disk: MemoryDisk, engineType: string, until: number, limit: number): readonly RunRow[] {
  const stalled: Waiting[] = []
  for (const run of disk.runs) {
    const { row } = run
    const since = Math.min(row.nextWakeAt ?? Infinity, letterSince(run))
    if (row.engineType === engineType && isLive(row) && since <= until) stalled.push({ row, since })
  }
  return earliest(stalled, limit)
}

export function endedWithLetters(disk: MemoryDisk, until: number, limit: number): readonly RunRow[] {
  const found = disk.runs
    .filter(({ row }) => ENDED.has(row.status) && row.quarantine === undefined && !OUTSIDE.has(row.engineType))
    .map((run) => ({ row: run.row, since: letterSince(run) }))
  return earliest(
    found.filter(({ since }) => since <= until),
    limit,
  )
}

function isLive({ quarantine, status }: RunRow): boolean {
  return quarantine === undefined && !ENDED.has(status)
}

function letterSince({ inbox, pending }: MemoryRun): number {
  const [oldest] = pending
  return (oldest === undefined ? undefined : inbox.get(oldest)?.row.insertedAt) ?? Infinity
}
