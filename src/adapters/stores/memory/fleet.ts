/** Operations on many runs: their text, when somebody must carry them on, and what came of each of their runs. */
import { fail } from '../../../core/problems/problem.ts'
import type { FleetCount, FleetPage, FleetRun, FleetStore, StoredOperation } from '../../../ports/fleet.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function fleetOf(disk: () => MemoryDisk): FleetStore {
  return {
    createOperation: async (operation, runIds) => createOperation(disk(), operation, runIds),
    putOperation: async (operation) => putOperation(disk(), operation),
    findOperation: async (tenantId, operationId) => disk().operations.get(keyOf(tenantId, operationId))?.operation,
    listOperations: async (tenantId, page) => listOperations(disk(), tenantId, page),
    dueOperations: async (now, limit) => dueOperations(disk(), now, limit),
    fleetRuns: async (tenantId, operationId, outcome, limit) =>
      runsOf(disk(), tenantId, operationId)
        .filter((run) => run.outcome === outcome)
        .slice(0, limit),
    noteFleetRuns: async (tenantId, operationId, runs) => noteFleetRuns(disk(), keyOf(tenantId, operationId), runs),
    countFleetRuns: async (tenantId, operationId) => countsOf(runsOf(disk(), tenantId, operationId)),
  }
}

function keyOf(tenantId: string, operationId: string): string {
  return pair(requireTenant(tenantId), operationId)
}

/** By code points, as the databases order them. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function createOperation({ operations }: MemoryDisk, operation: StoredOperation, runIds: readonly string[]): boolean {
  const key = keyOf(operation.tenantId, operation.operationId)
  if (operations.has(key)) return false
  const runs = runIds.map((runId) => ({ runId, outcome: 'OPEN' as const }))
  operations.set(key, { operation: Object.freeze({ ...operation, revision: 1 }), runs })
  return true
}

function putOperation({ operations }: MemoryDisk, operation: StoredOperation): boolean {
  const key = keyOf(operation.tenantId, operation.operationId)
  const known = operations.get(key)
  if (known === undefined || known.operation.revision !== operation.revision - 1) return false
  const { createdAt } = known.operation
  operations.set(key, { ...known, operation: Object.freeze({ ...operation, createdAt }) })
  return true
}

function listOperations(
  disk: MemoryDisk,
  tenantId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): FleetPage {
  requireTenant(tenantId)
  const after = placeOf(cursor)
  const found = [...disk.operations.values()]
    .map(({ operation }) => operation)
    .filter((one) => one.tenantId === tenantId && newestFirst(one, after) > 0)
    .sort(newestFirst)
  const operations = found.slice(0, limit)
  const last = operations.at(-1)
  if (last === undefined || found.length <= limit) return { operations }
  return { operations, next: Buffer.from(`${last.createdAt}.${last.operationId}`).toString('base64url') }
}

type Place = Pick<StoredOperation, 'createdAt' | 'operationId'>

function newestFirst(a: Place, b: Place): number {
  return b.createdAt - a.createdAt || byText(b.operationId, a.operationId)
}

/** Before everything where there is no cursor. */
function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { createdAt: Number.MAX_SAFE_INTEGER, operationId: '' }
  const match = /^(\d{1,16})\.(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString())
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return { createdAt: Number(match[1]), operationId: match[2] ?? '' }
}

function dueOperations({ operations }: MemoryDisk, now: number, limit: number): readonly StoredOperation[] {
  return [...operations.values()]
    .map(({ operation }) => operation)
    .filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
    .sort(
      (a, b) =>
        (a.dueAt ?? 0) - (b.dueAt ?? 0) || byText(a.tenantId, b.tenantId) || byText(a.operationId, b.operationId),
    )
    .slice(0, limit)
}

function runsOf({ operations }: MemoryDisk, tenantId: string, operationId: string): readonly FleetRun[] {
  return operations.get(keyOf(tenantId, operationId))?.runs ?? []
}

function noteFleetRuns({ operations }: MemoryDisk, key: string, noted: readonly FleetRun[]): void {
  const known = operations.get(key)
  if (known === undefined) return
  const news = new Map(noted.map((run) => [run.runId, run]))
  const runs = known.runs.map((run) => (run.outcome === 'OPEN' ? (news.get(run.runId) ?? run) : run))
  operations.set(key, { ...known, runs })
}

function countsOf(runs: readonly FleetRun[]): readonly FleetCount[] {
  const counts = new Map<string, FleetCount>()
  for (const { runId: _run, ...came } of runs) {
    const name = JSON.stringify([came.outcome, came.code ?? ''])
    counts.set(name, { ...came, runs: (counts.get(name)?.runs ?? 0) + 1 })
  }
  return [...counts].sort(([a], [b]) => byText(a, b)).map(([, count]) => count)
}
