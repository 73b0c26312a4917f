/**
 * A run as its driver holds it: the row, the plan and the fold of its log, read from the newest checkpoint and the
 * events after it. It is a cache of the log and is dropped whenever a commit's fate is unknown (P-10).
 */
import { unwrap } from '../../core/result.ts'
import { isEventType, type LogRecord, type RunIdentity } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import { packState, unpackState } from '../../core/run/state/checkpoint.ts'
import { RULES_VERSION, type RunState } from '../../core/run/state/state.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import type {
  RunCommit,
  RunKey,
  RunRow,
  RunStore,
  RunSummary,
  StoredEvent,
  StoredCheckpoint,
} from '../../ports/run-store.ts'
import { CommittedValues } from '../values/committed.ts'
import { damageOf } from './event-damage.ts'
import { FIRST_PREVIOUS } from '../log/event-hashes.ts'
import type { LoadedPlan, PlanShelf } from '../plans/load.ts'
import { recordOf } from '../log/read-events.ts'
import { needUsable } from './run-trouble.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface LoadedRun {
  readonly row: RunRow
  readonly identity: RunIdentity
  readonly plan: LoadedPlan
  state: RunState
  epoch: number
  nextSeq: number
  headHash: Uint8Array
  /** As in the row. */
  summary: RunSummary
  checkpointSeq: number
  readonly values: CommittedValues
}

/** What wraps the folding of a row that was read: a driver writes a note for runs that may kill it. */
type Folding = (row: RunRow, fold: () => Promise<LoadedRun>) => Promise<LoadedRun>

export async function loadRun(
  store: RunStore,
  plans: PlanShelf,
  runKey: RunKey,
  folding: Folding = (_row, fold) => fold(),
): Promise<LoadedRun> {
  const row = await store.getRun(runKey)
  if (row === undefined) fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  // The events of an archived run are gone: a fold of nothing would look like a new run.
  await needUsable({ store, plans }, row)
  if (row.minRulesVersion > RULES_VERSION) {
    fail(
      'RULES_VERSION_UNKNOWN',
      `run ${row.runId} needs rules version ${row.minRulesVersion}; this is ${RULES_VERSION}`,
    )
  }
  return folding(row, () => foldRun(store, plans, row))
}

async function foldRun(store: RunStore, plans: PlanShelf, row: RunRow): Promise<LoadedRun> {
  const plan = await planOf(plans, row)
  const snapshot = await store.getCheckpoint(row.runKey, 'state', row.nextSeq - 1)
  const kept = snapshot === undefined ? undefined : readCheckpoint(plan.graph, snapshot)
  const state = await foldTail(store, row, kept ?? initialState(plan.graph))
  return {
    row,
    identity: identityOf(row),
    plan,
    state,
    epoch: row.epoch,
    nextSeq: row.nextSeq,
    headHash: row.headHash,
    summary: row,
    checkpointSeq: kept?.seq ?? 0,
    values: new CommittedValues(),
  }
}

/**
 * The state that a commit of the run builds on. `tells`: events, inbox rows or the epoch show whether another commit
 * came first.
 */
export function expectedOf(
  { epoch, nextSeq, summary: { nextWakeAt } }: LoadedRun,
  tells: boolean,
): RunCommit['expected'] {
  return tells ? { epoch, nextSeq } : { epoch, nextSeq, nextWakeAt: nextWakeAt ?? null }
}

export function identityOf(row: RunIdentity): RunIdentity {
  const { runId, tenantId, projectId, environmentId, planId, planVersion } = row
  return { runId, tenantId, projectId, environmentId, planId, planVersion }
}

/** Connects the run to the request that caused it: the run's own id unless its start set another (CTX-05). */
export function correlationOf({ state, identity }: Pick<LoadedRun, 'state' | 'identity'>): string {
  return state.correlationId || identity.runId
}

/** Changed bytes are handled by the caller that fails the run for it; a missing plan is damage to the store. */
export async function planOf(plans: PlanShelf, row: RunRow): Promise<LoadedPlan> {
  try {
    return await plans.get(row.tenantId, row.planSha256)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'PLAN_NOT_FOUND') throw thrown
    return fail('RUN_QUARANTINED', `run ${row.runId} cannot be read: ${thrown.message}`)
  }
}

/**
 * Folds the events that follow, and checks the chain up to the head that the row names: a driver never builds on less.
 */
async function foldTail(store: RunStore, row: RunRow, start: RunState): Promise<RunState> {
  let state = start
  // The last event of a checkpoint is read again: the chain continues from its hash.
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

function checkedRecord(stored: StoredEvent, row: RunRow, previous: Uint8Array): LogRecord {
  const { runSeq } = stored
  const record = unwrap(recordOf(stored))
  const damaged = damageOf(stored, record, row, previous)
  if (damaged !== undefined)
    fail('RUN_QUARANTINED', `event ${runSeq} of run ${row.runId} ${damaged}`, { details: { runSeq } })
  // The fold would skip it, and a driver would decide on half of what happened.
  if (!isEventType(record.eventType)) {
    const message = `run ${row.runId} has an event '${record.eventType}', which this version does not know`
    fail('RULES_VERSION_UNKNOWN', message, { details: { runSeq } })
  }
  return record
}

const HASH_CHARS = 64

/** Checkpoint body of a run's fold, for `putCheckpoint`: the packed state after the hash of its own text. */
export function checkpointBody(state: RunState): string {
  const text = JSON.stringify(packState(state))
  return sha256Hex(text) + text
}

/** The packed state in a checkpoint; undefined when its own hash does not match. */
export function checkpointText(body: string): string | undefined {
  const text = body.slice(HASH_CHARS)
  return body.slice(0, HASH_CHARS) === sha256Hex(text) ? text : undefined
}

/** Undefined when it is damaged or of other rules: it only saves folding, so then the log is folded instead (P-51). */
export function readCheckpoint(
  graph: PlanGraph,
  { body, seq, rulesVersion }: Pick<StoredCheckpoint, 'body' | 'seq' | 'rulesVersion'>,
): RunState | undefined {
  const text = rulesVersion === RULES_VERSION ? checkpointText(body) : undefined
  if (text === undefined) return undefined
  const packed = JSON.parse(text) as Record<string, unknown>
  // Made by a version that did not record which child plans the run is pinned to.
  if (graph.anyChildren && packed['children'] === undefined) return undefined
  const state = unpackState(graph, packed)
  return state.seq === seq ? state : undefined
}
