/** Work for remote workers, and who asks for it. */
import type { RunKey } from '../../../ports/run-store.ts'
import type {
  EndedClaim,
  ListedWork,
  StoredWork,
  StoredWorker,
  WorkRef,
  WorkStore,
  WorkWanted,
} from '../../../ports/work.ts'
import { pair, type MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

export function workOf(disk: () => MemoryDisk): WorkStore {
  return {
    putWork: async (work) => putWork(disk(), work),
    findWork: async (ref) => disk().work.get(keyOf(ref)),
    findClaim: async (tenantId, sha256) => {
      requireTenant(tenantId)
      return [...disk().work.values()].find((one) => one.tenantId === tenantId && one.claim?.sha256 === sha256)
    },
    findEndedClaim: async (tenantId, sha256) => disk().endedClaims.get(pair(requireTenant(tenantId), sha256)),
    reportEndedClaim: async (tenantId, sha256, report) => reportEnded(disk(), requireTenant(tenantId), sha256, report),
    movedWork: async (seen) =>
      seen.flatMap((one) => {
        const found = disk().work.get(keyOf(one))
        return found === undefined || found.revision === one.revision ? [] : [found]
      }),
    openWork: async (tenantId, wanted, limit) => openWork(disk(), requireTenant(tenantId), wanted, limit),
    listWork: async (tenantId, limit) => listWork(disk(), requireTenant(tenantId), limit),
    untouchedWork: async (before, limit) =>
      [...disk().work.values()]
        .filter(({ touchedAt }) => touchedAt < before)
        .sort((a, b) => a.touchedAt - b.touchedAt || byRef(a, b))
        .slice(0, limit),
    deleteWork: async (ref) => dropWork(disk(), ref),
    noteWorker: async (worker) => noteWorker(disk(), worker),
    listWorkers: async (tenantId, limit) => listWorkers(disk(), requireTenant(tenantId), limit),
    dropWorkers: async (askedBefore) => {
      const { workers } = disk()
      for (const [key, { askedAt }] of workers) if (askedAt < askedBefore) workers.delete(key)
    },
  }
}

function keyOf({ runKey, slot, attempt }: WorkRef): string {
  return pair(String(runKey), pair(slot, String(attempt)))
}

/** By code points, as the databases order them. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function byRef(a: WorkRef, b: WorkRef): number {
  return a.runKey - b.runKey || byText(a.slot, b.slot) || a.attempt - b.attempt
}

function putWork({ work, endedClaims }: MemoryDisk, row: StoredWork): boolean {
  requireTenant(row.tenantId)
  const key = keyOf(row)
  const before = work.get(key)
  if ((before?.revision ?? 0) !== row.revision - 1) return false
  if (before?.claim !== undefined && before.claim.sha256 !== row.claim?.sha256)
    endedClaims.set(pair(row.tenantId, before.claim.sha256), endedOf(before, before.claim.at))
  // What was offered stays as it is; only what became of it changes.
  const { revision, state, engineAttempt, touchedAt, claims, claim, report } = row
  const became = { revision, state, engineAttempt, touchedAt, claims }
  const told = { ...(claim === undefined ? {} : { claim }), ...(report === undefined ? {} : { report }) }
  work.set(key, Object.freeze({ ...(before === undefined ? row : { ...offered(before), ...became, ...told }) }))
  return true
}

function endedOf({ runKey, slot, attempt, engineAttempt, claims, report }: StoredWork, at: number): EndedClaim {
  const told = report === undefined ? {} : { report }
  return Object.freeze({ runKey, slot, attempt, engineAttempt: engineAttempt + claims - 1, at, ...told })
}

function reportEnded({ endedClaims }: MemoryDisk, tenantId: string, sha256: string, report: string): boolean {
  const key = pair(tenantId, sha256)
  const found = endedClaims.get(key)
  if (found === undefined || found.report !== undefined) return false
  endedClaims.set(key, Object.freeze({ ...found, report }))
  return true
}

function dropWork({ work, endedClaims }: MemoryDisk, ref: WorkRef): void {
  work.delete(keyOf(ref))
  for (const [key, one] of endedClaims) if (keyOf(one) === keyOf(ref)) endedClaims.delete(key)
}

function offered({ claim: _claim, report: _report, ...rest }: StoredWork): StoredWork {
  return rest
}

function openWork({ work }: MemoryDisk, tenantId: string, wanted: WorkWanted, limit: number): readonly StoredWork[] {
  const isOpen = ({ state, claim, irreversible }: StoredWork): boolean =>
    state === 'offered' || (state === 'claimed' && !irreversible && (claim?.until ?? 0) <= wanted.now)
  return [...work.values()]
    .filter((one) => one.tenantId === tenantId && isOpen(one))
    .filter(({ queue, handler }) => wanted.queues.includes(queue) && wanted.handlers.includes(handler))
    .filter(({ secrets }) => wanted.secrets || !secrets)
    .sort((a, b) => a.offeredAt - b.offeredAt || byRef(a, b))
    .slice(0, limit)
}

function listWork({ work, runs }: MemoryDisk, tenantId: string, limit: number): readonly ListedWork[] {
  return [...work.values()]
    .filter((one) => one.tenantId === tenantId && (one.state === 'offered' || one.state === 'claimed'))
    .sort((a, b) => a.offeredAt - b.offeredAt || byRef(a, b))
    .flatMap((one) => {
      const run = runs[one.runKey - 1]?.row
      return run === undefined ? [] : [listed(one, run.runId)]
    })
    .slice(0, limit)
}

function listed(one: StoredWork, runId: string): ListedWork {
  const { slot, attempt, queue, handler, offeredAt, claims, state, claim } = one
  const told = { runId, slot, attempt, queue, handler, offeredAt, claims }
  if (state !== 'claimed' || claim === undefined) return told
  const { worker, at, until } = claim
  return { ...told, claim: { worker, at, until } }
}

function noteWorker({ workers }: MemoryDisk, row: StoredWorker): void {
  const key = pair(requireTenant(row.tenantId), pair(row.worker, row.actorId))
  if ((workers.get(key)?.askedAt ?? 0) <= row.askedAt) workers.set(key, Object.freeze({ ...row }))
}

function listWorkers({ workers }: MemoryDisk, tenantId: string, limit: number): readonly StoredWorker[] {
  return [...workers.values()]
    .filter((one) => one.tenantId === tenantId)
    .sort((a, b) => b.askedAt - a.askedAt || byText(a.worker, b.worker) || byText(a.actorId, b.actorId))
    .slice(0, limit)
}

/** Its rows hold what the run was given and what came of it. */
export function forgetWork(disk: MemoryDisk, runKey: RunKey): void {
  for (const one of disk.work.values()) if (one.runKey === runKey) dropWork(disk, one)
}
