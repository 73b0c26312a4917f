/**
 * A run as its driver holds it: the row, the plan and the fold of its log, read from the newest snapshot and the
 * tail after it. It is a cache of the log and is dropped whenever a commit's fate is unknown (P-10).
 */
import { isEventType, type ForeignRecord, type RunIdentity } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import type { PlanGraph } from '../core/plan/graph.ts'
import { fail, KeelsonError, problem } from '../core/problems/problem.ts'
import { evolve } from '../core/run/evolve.ts'
import { foldEventOfRecord } from '../core/run/fold-event.ts'
import { packState, unpackState } from '../core/run/state-snapshot.ts'
import { initialState, RULES_VERSION, type RunState } from '../core/run/state.ts'
import type { RunKey, RunRow, RunStore, StoredEvent, StoredSnapshot } from '../ports/run-store.ts'
import { CommittedValues } from './committed-values.ts'
import { damageOf } from './event-damage.ts'
import { FIRST_PREVIOUS } from './event-hashes.ts'
import type { LoadedPlan, PlanShelf } from './load-plan.ts'
import { recordOf } from './read-events.ts'
import { needUsable } from './run-trouble.ts'
import { sha256Hex } from './sha256.ts'

export interface LoadedRun {
  readonly row: RunRow
  readonly identity: RunIdentity
  readonly plan: LoadedPlan
  state: RunState
  epoch: number
  nextSeq: number
  headHash: Uint8Array
  snapshotSeq: number
  readonly values: CommittedValues
}

export async function loadRun(store: RunStore, plans: PlanShelf, runKey: RunKey): Promise<LoadedRun> {
  const row = await store.getRun(runKey)
  if (row === undefined) fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  // Of an archived run the events are gone: folded from nothing it would seem to begin anew.
  await needUsable({ store, plans }, row)
  if (row.minRulesVersion > RULES_VERSION) {
    fail(
      'RULES_VERSION_UNKNOWN',
      `run ${row.runId} needs rules version ${row.minRulesVersion}; this is ${RULES_VERSION}`,
    )
  }
  const plan = await planOf(plans, row)
  const snapshot = await store.getSnapshot(runKey, 'state', row.nextSeq - 1)
  const kept = snapshot === undefined ? undefined : readSnapshot(plan.graph, snapshot)
  const state = await foldTail(store, row, kept ?? initialState(plan.graph))
  return {
    row,
    identity: identityOf(row),
    plan,
    state,
    epoch: row.epoch,
    nextSeq: row.nextSeq,
    headHash: row.headHash,
    snapshotSeq: kept?.seq ?? 0,
    values: new CommittedValues(),
  }
}

export function identityOf(row: RunIdentity): RunIdentity {
  const { runId, tenantId, projectId, environmentId, planId, planVersion } = row
  return { runId, tenantId, projectId, environmentId, planId, planVersion }
}

/** What ties the run to the request that caused it: its own id unless its start said otherwise (CTX-05). */
export function correlationOf({ state, identity }: Pick<LoadedRun, 'state' | 'identity'>): string {
  return state.correlationId || identity.runId
}

/** Bytes that changed are the affair of whoever fails the run for it; a plan that is gone is damage to the store. */
export async function planOf(plans: PlanShelf, row: RunRow): Promise<LoadedPlan> {
  try {
    return await plans.get(row.planSha256)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'PLAN_NOT_FOUND') throw thrown
    return fail('RUN_QUARANTINED', `run ${row.runId} cannot be read: ${thrown.message}`)
  }
}

/** Folds what follows, and holds it against the chain up to the head that the row names: a driver never builds on less. */
async function foldTail(store: RunStore, row: RunRow, start: RunState): Promise<RunState> {
  let state = start
  // The last event of a snapshot is read once more: the chain goes on from its hash.
  let after = Math.max(0, start.seq - 1)
  let head = start.seq === 0 ? FIRST_PREVIOUS : undefined
  for (let more = true; more && after < row.nextSeq - 1;) {
    const page = await store.readEvents(row.runKey, { afterSeq: after, limit: LIMITS.fetchPageEvents })
    more = page.length > 0
    for (const stored of page) {
      after = stored.runSeq
      // A commit after the row was read may already show here; the row's compare-and-set decides what counts.
      if (stored.runSeq >= row.nextSeq) break
      if (head !== undefined) state = evolve(state, foldEventOfRecord(checkedRecord(stored, row, head)))
      head = stored.chainHash
    }
  }
  if (Buffer.compare(head ?? FIRST_PREVIOUS, row.headHash) !== 0)
    fail('RUN_QUARANTINED', `the log of run ${row.runId} does not end at the head that its row names`)
  return state
}

function checkedRecord(stored: StoredEvent, row: RunRow, previous: Uint8Array): ForeignRecord {
  const { runSeq } = stored
  const read = recordOf(stored)
  if (!read.ok)
    throw new KeelsonError([read.problems[0] ?? problem('RUN_QUARANTINED', `event ${runSeq} cannot be read`)])
  const record = read.value
  const damaged = damageOf(stored, record, row, previous)
  if (damaged !== undefined)
    fail('RUN_QUARANTINED', `event ${runSeq} of run ${row.runId} ${damaged}`, { details: { runSeq } })
  // The fold would pass over it, and a driver that does so decides on half of what happened (DESIGN §9).
  if (!isEventType(record.eventType)) {
    const message = `run ${row.runId} has an event '${record.eventType}', which this version does not know`
    fail('RULES_VERSION_UNKNOWN', message, { details: { runSeq } })
  }
  return record
}

const HASH_CHARS = 64

/** Snapshot body of a run's fold, for `putSnapshot`: the packed state behind the hash of its own text. */
export function snapshotBody(state: RunState): string {
  const text = JSON.stringify(packState(state))
  return sha256Hex(text) + text
}

/** Undefined when it is damaged or of other rules: it only spares folding, so then the log is folded instead (P-51). */
export function readSnapshot(
  graph: PlanGraph,
  { body, seq, rulesVersion }: Pick<StoredSnapshot, 'body' | 'seq' | 'rulesVersion'>,
): RunState | undefined {
  const text = body.slice(HASH_CHARS)
  if (rulesVersion !== RULES_VERSION || body.slice(0, HASH_CHARS) !== sha256Hex(text)) return undefined
  const state = unpackState(graph, JSON.parse(text) as Record<string, unknown>)
  return state.seq === seq ? state : undefined
}
