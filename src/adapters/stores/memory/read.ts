/** Reads of runs and events. Every look-up by an outside id is within its tenant. */
import type { RunKey, RunRef, RunRow, StoredEvent } from '../../../ports/run-store.ts'
import { pair, type MemoryDisk, type MemoryRun } from './connect.ts'
import { requireTenant } from './scope.ts'

export function runOf(disk: MemoryDisk, runKey: RunKey | undefined): MemoryRun | undefined {
  return runKey === undefined ? undefined : disk.runs[runKey - 1]
}

export function runByRef(disk: MemoryDisk, ref: RunRef): MemoryRun | undefined {
  const tenantId = requireTenant(ref.tenantId)
  return disk.byRef.get(pair(tenantId, ref.runId))
}

/** An archived run is a row without a log: nothing can be appended to it. */
export function liveOf(disk: MemoryDisk, runKey: RunKey | undefined): MemoryRun | undefined {
  const run = runOf(disk, runKey)
  return run?.row.archivedAt === undefined ? run : undefined
}

export function liveByRef(disk: MemoryDisk, ref: RunRef): MemoryRun | undefined {
  const run = runByRef(disk, ref)
  return run?.row.archivedAt === undefined ? run : undefined
}

export function findRunByRequest(disk: MemoryDisk, tenantId: string, requestKey: string): RunRow | undefined {
  return disk.byRequest.get(pair(requireTenant(tenantId), requestKey))?.row
}

/** The first run with that reference, in case an engine uses one twice. */
export function findRunByEngineRef(disk: MemoryDisk, tenantId: string, engineRunRef: string): RunRow | undefined {
  requireTenant(tenantId)
  return disk.runs.find(({ row }) => row.tenantId === tenantId && row.engineRunRef === engineRunRef)?.row
}

const PAGE_EVENTS = 1000

export function readEvents(
  disk: MemoryDisk,
  runKey: RunKey,
  range: { readonly afterSeq?: number; readonly limit?: number },
): readonly StoredEvent[] {
  const events = runOf(disk, runKey)?.events ?? []
  const from = firstAfter(events, range.afterSeq ?? 0)
  return events.slice(from, from + (range.limit ?? PAGE_EVENTS))
}

/** Numbers ascend but may have gaps, so the position is searched, not computed (STO-03). */
function firstAfter(events: readonly StoredEvent[], afterSeq: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.runSeq ?? 0) > afterSeq) high = middle
    else low = middle + 1
  }
  return low
}
