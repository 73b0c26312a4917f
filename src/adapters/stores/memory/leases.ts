/** Leases and due runs: for liveness only; compare-and-set decides what may be written. */
import { WITHOUT_LEASE } from '../../../core/engine/engine-type.ts'
import { TAKING_UP } from '../../../core/engine/last-words.ts'
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
  const { lease: last, deaths: before = 0, doing, diedDoing, ...row } = run.row
  if (last?.owner !== gone && isLeasedByAnother(run.row, owner, now)) return undefined
  const deaths = last === undefined ? 0 : last.owner === owner ? before : before + 1
  const words = last?.owner === owner ? { doing, diedDoing } : lastWords(run, doing, diedDoing)
  if (last?.owner !== owner) run.takenEpoch = row.epoch
  run.row = Object.freeze({
    ...row,
    ...(deaths === 0 ? {} : { deaths }),
    ...(words.doing === undefined ? {} : { doing: words.doing }),
    ...(words.diedDoing === undefined ? {} : { diedDoing: words.diedDoing }),
    lease: Object.freeze({ owner, until }),
  })
  return run.row
}

type Words = Partial<Pick<RunRow, 'doing' | 'diedDoing'>>

/** The last words of a holder that vanished; a holder that returned its lease leaves none. */
function lastWords(
  { row, takenEpoch }: MemoryRun,
  noted: string | undefined,
  before: readonly string[] = [],
): { readonly [K in keyof Words]: Words[K] | undefined } {
  const doing = noted ?? (takenEpoch === row.epoch ? TAKING_UP : undefined)
  return row.lease === undefined || doing === undefined ? {} : { diedDoing: Object.freeze([...before, doing]) }
}

export function noteDoing(run: MemoryRun | undefined, owner: string, doing: string | undefined): void {
  if (run?.row.lease?.owner !== owner) return
  const { doing: _before, ...row } = run.row
  run.row = Object.freeze({ ...row, ...(doing === undefined ? {} : { doing }) })
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
const OUTSIDE: ReadonlySet<string> = new Set(WITHOUT_LEASE)

interface Waiting {
  readonly row: RunRow
  readonly since: number
}

/** Ordered by the instant since which they wait, then by key. */
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

export function leasedRuns(disk: MemoryDisk, now: number, limit: number): readonly RunRow[] {
  const leased: Waiting[] = []
  for (const run of disk.runs) {
    const { row } = run
    const isDue = row.owed === true || dueSince(run, now) < Infinity
    const isOurs = isLive(row) && !OUTSIDE.has(row.engineType)
    if (row.lease !== undefined && row.lease.until > now && isOurs && isDue)
      leased.push({ row, since: row.lease.until })
  }
  return earliest(leased, limit)
}

function dueSince(run: MemoryRun, now: number): number {
  const { row } = run
  if (!isLive(row) || OUTSIDE.has(row.engineType)) return Infinity
  const wake = row.nextWakeAt !== undefined && row.nextWakeAt <= now ? row.nextWakeAt : Infinity
  const orphaned = row.owed === true && (row.lease === undefined || row.lease.until <= now)
  const lost = orphaned ? (row.lease?.until ?? row.updatedAt) : Infinity
  return Math.min(wake, inboxRowSince(run), lost)
}

/** Runs stalled since `until` or before. */
export function stalledRuns(disk: MemoryDisk, engineType: string, until: number, limit: number): readonly RunRow[] {
  const stalled: Waiting[] = []
  for (const run of disk.runs) {
    const { row } = run
    const since = Math.min(row.nextWakeAt ?? Infinity, inboxRowSince(run))
    if (row.engineType === engineType && isLive(row) && since <= until) stalled.push({ row, since })
  }
  return earliest(stalled, limit)
}

export function endedWithInboxRows(disk: MemoryDisk, until: number, limit: number): readonly RunRow[] {
  const found = disk.runs
    .filter(({ row }) => ENDED.has(row.status) && row.quarantine === undefined && !OUTSIDE.has(row.engineType))
    .map((run) => ({ row: run.row, since: inboxRowSince(run) }))
  return earliest(
    found.filter(({ since }) => since <= until),
    limit,
  )
}

function isLive({ quarantine, status }: RunRow): boolean {
  return quarantine === undefined && !ENDED.has(status)
}

function inboxRowSince({ inbox, pending }: MemoryRun): number {
  const [oldest] = pending
  return (oldest === undefined ? undefined : inbox.get(oldest)?.row.insertedAt) ?? Infinity
}
