/**
 * Which effects were undone, be it by the run that had them or by any run that took its results over: a fork, a fork of
 * that fork, or the run they all come from. What one of them undid is gone from the world for all of them.
 */
import { fail } from '../core/problems/problem.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import { recordOf } from './read-events.ts'
import { storedEvents } from './stored-events.ts'
import { compensationOf } from './undo-run-id.ts'

const FORKS_PAGE = 100

export interface UndoneEffects {
  /** Of which anything was undone, be it one item or what a fallback did. */
  has(ownerRunId: string, stepId: string): boolean
}

export async function undoneEffects(store: RunStore, row: RunRow): Promise<UndoneEffects> {
  const undone = new Set<string>()
  for (const member of await familyOf(store, row)) {
    if (member.archivedAt !== undefined) needNoLog(member)
    else await readUndone(store, member, undone)
  }
  return { has: (ownerRunId, stepId) => undone.has(keyOf(ownerRunId, stepId)) }
}

function keyOf(ownerRunId: string, stepId: string): string {
  return `${ownerRunId}|${stepId}`
}

/** A run that completed undid nothing, unless undoing was all it had to do; of any other only its log could tell. */
function needNoLog(row: RunRow): void {
  const { runId, status } = row
  if (status === 'COMPLETED' && compensationOf(row) === undefined) return
  fail(
    'RUN_ARCHIVED',
    `run ${runId} shares results with the run to be forked, and what it undid is only in its archive`,
  )
}

async function familyOf(store: RunStore, row: RunRow): Promise<readonly RunRow[]> {
  const family = [await rootOf(store, row)]
  // Grows while it is walked: each member may have forks of its own.
  for (const { tenantId, runId } of family) {
    for (let cursor: string | undefined; ;) {
      const page = await store.listRuns(
        tenantId,
        { originalRunId: runId },
        { limit: FORKS_PAGE, ...(cursor === undefined ? {} : { cursor }) },
      )
      family.push(...page.runs)
      cursor = page.next
      if (cursor === undefined) break
    }
  }
  return family
}

async function rootOf(store: RunStore, row: RunRow): Promise<RunRow> {
  let root = row
  while (root.originalRunId !== undefined) {
    const { tenantId, originalRunId, runId } = root
    root =
      (await store.findRun({ tenantId, runId: originalRunId })) ??
      fail('RUN_NOT_FOUND', `run ${runId} was forked from run ${originalRunId}, which is not in this store`)
  }
  return root
}

async function readUndone(store: RunStore, { runKey, runId }: RunRow, undone: Set<string>): Promise<void> {
  const owners = new Map<string, string>()
  for await (const stored of storedEvents(store, runKey)) {
    if (stored.eventType !== 'CompensationStarted' && stored.eventType !== 'StepCompleted') continue
    const read = recordOf(stored)
    if (!read.ok) {
      if (stored.eventType === 'StepCompleted') continue
      fail('RUN_QUARANTINED', `event ${stored.runSeq} of run ${runId} undid something, and what cannot be read`)
    }
    const { stepId, payload } = read.value
    if (stepId === undefined) continue
    if (stored.eventType === 'CompensationStarted') undone.add(keyOf(owners.get(stepId) ?? runId, stepId))
    else owners.set(stepId, (payload?.['reusedFrom'] as { ownerRunId?: string } | undefined)?.ownerRunId ?? runId)
  }
}
