/** Limits for starts, the queue behind them, and ended runs that still count against them. */
import type { AdmissionStore, RunLimit } from '../../../ports/admission.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { isOffered } from './grant-queue.ts'
import { requireTenant } from './scope.ts'

const RUN = 'RUN'
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

export function admissionOf(disk: () => MemoryDisk): AdmissionStore {
  return {
    putLimit: async (limit) => {
      disk().limits.set(pair(requireTenant(limit.tenantId), limit.name), Object.freeze({ ...limit }))
    },
    removeLimit: async (tenantId, name) => disk().limits.delete(pair(requireTenant(tenantId), name)),
    listLimits: async (tenantId) => listLimits(disk(), requireTenant(tenantId)),
    queuedRuns: async (engineType, now, page) => queuedRuns(disk(), engineType, now, page),
    endedHolders: async (page) => endedHolders(disk(), page),
  }
}

function listLimits({ limits }: MemoryDisk, tenantId: string): readonly RunLimit[] {
  const own = [...limits.values()].filter((limit) => limit.tenantId === tenantId)
  // By code points, as the databases order them.
  return own.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

interface Page {
  readonly limit: number
  readonly without: readonly RunKey[]
}

function queuedRuns(disk: MemoryDisk, engineType: string, now: number, { limit, without }: Page): readonly RunRow[] {
  const waiting = new Set<number>(without)
  for (const wait of disk.grants.waits.values())
    if (wait.slot === RUN && !isOffered(wait, now)) waiting.add(wait.runKey)
  const rows = disk.runs
    .map(({ row }) => row)
    .filter((row) => row.engineType === engineType && isFree(row, now) && !waiting.has(row.runKey))
  const turns = new Map<string, number>()
  const inTurn = rows.map((row) => {
    const turn = turns.get(row.tenantId) ?? 0
    turns.set(row.tenantId, turn + 1)
    return { row, turn }
  })
  const sorted = inTurn.sort((a, b) => a.turn - b.turn || a.row.runKey - b.row.runKey)
  return sorted.slice(0, limit).map(({ row }) => row)
}

function isFree(row: RunRow, now: number): boolean {
  const { status, substatus, quarantine, archivedAt, nextWakeAt, lease } = row
  const isWaiting = (status === 'PENDING' || status === 'APPROVED') && substatus !== 'WAITING_APPROVAL'
  if (!isWaiting || quarantine !== undefined || archivedAt !== undefined || nextWakeAt !== undefined) return false
  return lease === undefined || lease.until <= now
}

function endedHolders({ runs, grants }: MemoryDisk, { limit, without }: Page): readonly RunRow[] {
  const passed = new Set(without)
  const users = [...grants.held.values(), ...grants.waits.values()].filter(({ slot }) => slot === RUN)
  const keys = [...new Set(users.map(({ runKey }) => runKey))].sort((a, b) => a - b)
  const rows = keys.flatMap((runKey) => (passed.has(runKey) ? [] : (runs[runKey - 1]?.row ?? [])))
  return rows.filter(({ status, archivedAt }) => ENDED.has(status) && archivedAt === undefined).slice(0, limit)
}
