/**
 * A run as its driver holds it: the row, the plan and the fold of its log, read from the newest snapshot and the
 * tail after it. It is a cache of the log and is dropped whenever a commit's fate is unknown (P-10).
 */
import type { RunIdentity } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import { fail, KeelsonError } from '../core/problems/problem.ts'
import { evolve } from '../core/run/evolve.ts'
import { foldEventOfRecord } from '../core/run/fold-event.ts'
import { packState, unpackState } from '../core/run/state-snapshot.ts'
import { initialState, RULES_VERSION, type RunState } from '../core/run/state.ts'
import type { RunKey, RunRow, RunStore } from '../ports/run-store.ts'
import { BoundedCache } from './bounded-cache.ts'
import type { LoadedPlan, PlanShelf } from './load-plan.ts'
import { recordOf } from './read-events.ts'

const OUTPUTS_KEPT = 256

export interface LoadedRun {
  readonly row: RunRow
  readonly identity: RunIdentity
  readonly plan: LoadedPlan
  state: RunState
  epoch: number
  nextSeq: number
  headHash: Uint8Array
  snapshotSeq: number
  /** Outputs by the seq of their event; what was just written is read next. */
  readonly outputs: BoundedCache<number, unknown>
}

export async function loadRun(store: RunStore, plans: PlanShelf, runKey: RunKey): Promise<LoadedRun> {
  const row = await store.getRun(runKey)
  if (row === undefined) fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  if (row.quarantine !== undefined) fail('RUN_QUARANTINED', `run ${row.runId} is set aside: ${row.quarantine}`)
  if (row.minRulesVersion > RULES_VERSION) {
    fail(
      'RULES_VERSION_UNKNOWN',
      `run ${row.runId} needs rules version ${row.minRulesVersion}; this is ${RULES_VERSION}`,
    )
  }
  const plan = await plans.get(row.planSha256)
  const snapshot = await store.getSnapshot(runKey, 'state', row.nextSeq - 1)
  const usable = snapshot !== undefined && snapshot.rulesVersion === RULES_VERSION
  const start = usable
    ? unpackState(plan.graph, JSON.parse(snapshot.body) as Record<string, unknown>)
    : initialState(plan.graph)
  const state = await foldTail(store, row, start)
  return {
    row,
    identity: identityOf(row),
    plan,
    state,
    epoch: row.epoch,
    nextSeq: row.nextSeq,
    headHash: row.headHash,
    snapshotSeq: usable ? snapshot.seq : 0,
    outputs: new BoundedCache(OUTPUTS_KEPT),
  }
}

export function identityOf(row: RunIdentity): RunIdentity {
  const { runId, tenantId, projectId, environmentId, planId, planVersion } = row
  return { runId, tenantId, projectId, environmentId, planId, planVersion }
}

async function foldTail(store: RunStore, row: RunRow, start: RunState): Promise<RunState> {
  let state = start
  while (state.seq < row.nextSeq - 1) {
    const page = await store.readEvents(row.runKey, { afterSeq: state.seq, limit: LIMITS.fetchPageEvents })
    if (page.length === 0) break
    for (const stored of page) {
      // A commit after the row was read may already show here; the row's compare-and-set decides what counts.
      if (stored.runSeq >= row.nextSeq) return state
      const record = recordOf(stored)
      if (!record.ok)
        throw new KeelsonError([record.problems[0] ?? fail('RUN_QUARANTINED', `event ${stored.runSeq} cannot be read`)])
      state = evolve(state, foldEventOfRecord(record.value))
    }
  }
  return state
}

/** Snapshot body of a run's fold, for `putSnapshot`. */
export function snapshotBody(state: RunState): string {
  return JSON.stringify(packState(state))
}
