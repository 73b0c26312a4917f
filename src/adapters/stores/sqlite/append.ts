/**
 * The commit (P-08): one transaction for the batch; a run that loses its compare-and-set or breaks a constraint does
 * not affect the others. The hot path of the product: few statements, each prepared once.
 */
import { scopeCovers } from '../../../core/run/signals/scope-covers.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CommitResult, NewRun, RunCommit, RunKey } from '../../../ports/run-store.ts'
import { putBlob } from './blobs.ts'
import type { Connection } from './connect.ts'
import { writeContext } from './context.ts'
import { moveStatus, writeMoves, type StatusMoves } from './counts.ts'
import { changeEventWaits } from './events.ts'
import { brokenConstraint } from './failure.ts'
import { insertLabels } from './labels.ts'
import { queueGrants, takeGrants, usesGrants } from './grants.ts'
import { insertEvents } from './insert-events.ts'
import { consume, consumptionRefusal, notify, unconsumed } from './inbox.ts'
import { anyScopePause, pausesOf } from './pauses.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import { movedValues, updateKnown, updateRun, ZERO_HASH } from './update-run.ts'

const HEAD = `SELECT run_key, epoch, next_seq, head_hash, status, next_wake_at, owed, ended_at, tenant_id, plan_id, inbox_since FROM runs
  WHERE run_key = ? AND archived_at IS NULL`
const FIND_RUN = 'SELECT 1 FROM runs WHERE tenant_id = ? AND run_id = ?'
const REQUEST_EXISTS = 'SELECT run_id FROM runs WHERE tenant_id = ? AND request_key = ?'
export const INSERT_RUN = `INSERT INTO runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
  engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt, triggered_by,
  created_at, updated_at, epoch, next_seq, head_hash, substatus, rules_version, min_rules_version, started_at,
  steps_total, steps_done, steps_failed, error_code, status, next_wake_at, owed, ended_at, lease_owner, leased_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, run_id) DO NOTHING`
const SET_LEASE = 'UPDATE runs SET lease_owner = ?, leased_until = ? WHERE run_key = ?'
const SET_ENGINE = 'UPDATE runs SET engine_type = ?, engine_run_ref = ? WHERE run_key = ?'

interface Turn {
  readonly connection: Connection
  readonly now: number
  readonly moves: StatusMoves
  /** Whether there is any pause of anybody: asked for once in a batch, and hardly ever so. */
  readonly anyPause: () => boolean
}

/** `beside` writes what belongs to no run in the same transaction; it is called once for each that is tried. */
export async function commit(
  connection: Connection,
  batch: readonly RunCommit[],
  clock: Clock,
  beside?: () => void,
): Promise<readonly CommitResult[]> {
  for (const { create, notify: inboxRows } of batch) {
    if (create !== undefined) requireTenant(create.tenantId)
    for (const { run } of inboxRows ?? []) requireTenant(run.tenantId)
  }
  if (batch.length === 0) return []
  let broken: CommitResult | undefined
  const whole = { connection, batch, clock, beside }
  try {
    return await writeBatch(whole, (turn, one) => {
      try {
        return usesGrants(one) ? commitInSavepoint(turn, one) : commitRun(turn, one)
      } catch (error) {
        broken = constraintResult(error)
        throw error
      }
    })
  } catch (error) {
    if (broken === undefined) throw error
  }
  // Broken constraints are our own defects. A savepoint for each run would slow every batch down: it copies pages.
  return batch.length === 1 && beside === undefined ? [broken] : writeBatch(whole, commitInSavepoint)
}

interface WholeBatch {
  readonly connection: Connection
  readonly batch: readonly RunCommit[]
  readonly clock: Clock
  readonly beside: (() => void) | undefined
}

function writeBatch(
  { connection, batch, clock, beside }: WholeBatch,
  write: (turn: Turn, one: RunCommit) => CommitResult,
): Promise<readonly CommitResult[]> {
  return connection.write(() => {
    const turn = newTurn(connection, clock)
    const results = batch.map((one) => write(turn, one))
    writeMoves(connection, turn.moves)
    beside?.()
    return results
  })
}

function commitInSavepoint(turn: Turn, one: RunCommit): CommitResult {
  const { sql } = turn.connection
  sql('SAVEPOINT run').run()
  try {
    const result = commitRun(turn, one)
    if (result.kind !== 'committed') sql('ROLLBACK TO run').run()
    sql('RELEASE run').run()
    return result
  } catch (error) {
    const refusal = constraintResult(error)
    if (refusal === undefined) throw error
    sql('ROLLBACK TO run').run()
    sql('RELEASE run').run()
    return refusal
  }
}

function constraintResult(error: unknown): CommitResult | undefined {
  const detail = brokenConstraint(error)
  return detail === undefined ? undefined : { kind: 'constraint', detail }
}

/** Inside the transaction: the time of writing is later than the time before a wait for the lock. */
function newTurn(connection: Connection, clock: Clock): Turn {
  let known: boolean | undefined
  const anyPause = (): boolean => (known ??= anyScopePause(connection))
  return { connection, now: clock.now(), moves: new Map(), anyPause }
}

/**
 * Without grants a refusal is returned before the first write; with grants, and for a broken constraint, which SQLite
 * throws, the caller undoes what was written.
 */
function commitRun(turn: Turn, one: RunCommit): CommitResult {
  return commitKnown(turn, one) ?? commitAny(turn, one)
}

/** The turns of a chain, by the thousand: what they know of their row is compared by the statement that changes it. */
function commitKnown(turn: Turn, one: RunCommit): CommitResult | undefined {
  const { connection, now, moves } = turn
  const { runKey, known, events, summary } = one
  if (runKey === undefined || known === undefined || events.length === 0) return undefined
  if ((one.consumed ?? []).length > 0 || usesGrants(one) || !areNumbered(one)) return undefined
  if (!updateKnown(connection, one, known, now)) return undefined
  insertEvents(connection, runKey, events, now)
  writeRest(turn, one, runKey)
  if (one.eventWaits !== undefined)
    changeEventWaits(connection, { runKey, tenantId: known.tenantId }, one.eventWaits, now)
  if (known.summary.status !== summary.status) moveStatus(moves, known.tenantId, known.summary.status, summary.status)
  return { kind: 'committed', runKey, persistedAt: now }
}

function commitAny(turn: Turn, one: RunCommit): CommitResult {
  const { connection, now } = turn
  const { create, events } = one
  const head = create === undefined ? headOf(turn, one) : undefined
  const refusal = create === undefined ? (head === undefined ? CONFLICT : undefined) : existing(turn, create)
  if (refusal !== undefined) return refusal
  const unread = one.unread === true ? unreadBy(turn, create, head ?? {}) : undefined
  if (unread !== undefined) return unread
  const consumption = consumptionRefusal(connection, one)
  if (consumption === 'conflict') return CONFLICT
  if (consumption === 'constraint') return { kind: 'constraint', detail: 'inboxId' }
  if (!usesGrants(one) && !areNumbered(one)) return MISNUMBERED
  const runKey = create === undefined ? number(head ?? {}, 'run_key') : insertRun(turn, one, create)
  if (runKey === undefined) return RUN_EXISTS
  const tenantId = create?.tenantId ?? text(head ?? {}, 'tenant_id')
  const owner = usesGrants(one) ? { runKey, tenantId } : undefined
  const grants = owner === undefined ? undefined : takeGrants(connection, owner, one, now)
  if (grants !== undefined && grants.refused.length > 0) return { kind: 'ungranted', refused: grants.refused }
  if (grants !== undefined && !areNumbered(one)) return MISNUMBERED
  if (head !== undefined) updateRun(connection, one, head, now)
  insertEvents(connection, runKey, events, now)
  if (one.labels !== undefined) insertLabels(connection, { runKey, tenantId }, one.labels, now)
  writeRest(turn, one, runKey)
  if (one.eventWaits !== undefined) changeEventWaits(connection, { runKey, tenantId }, one.eventWaits, now)
  if (grants !== undefined && owner !== undefined) queueGrants(grants, owner, one)
  const before = head === undefined ? undefined : text(head, 'status')
  if (before !== one.summary.status) moveStatus(turn.moves, tenantId, before, one.summary.status)
  return { kind: 'committed', runKey, persistedAt: now }
}

const CONFLICT: CommitResult = { kind: 'conflict' }
const RUN_EXISTS: CommitResult = { kind: 'run-exists' }
const MISNUMBERED: CommitResult = { kind: 'constraint', detail: 'runSeq' }

/** A new run has no inbox yet. */
function unreadBy({ connection, anyPause }: Turn, create: NewRun | undefined, head: Columns): CommitResult | undefined {
  const pauses = anyPause() ? pausesOf(connection, create?.tenantId ?? text(head, 'tenant_id')) : []
  const planId = create?.planId ?? text(head, 'plan_id')
  const isEmpty = create !== undefined || head['inbox_since'] === null
  if (isEmpty && !pauses.some(({ active, scope }) => active && scopeCovers(scope, planId))) return undefined
  return { kind: 'unread', inboxRows: isEmpty ? [] : unconsumed(connection, number(head, 'run_key')), pauses }
}

function areNumbered({ events, expected }: RunCommit): boolean {
  return events.every((event, index) => event.runSeq === expected.nextSeq + index)
}

function headOf(turn: Turn, { runKey, expected }: RunCommit): Columns | undefined {
  const head = runKey === undefined ? undefined : turn.connection.sql(HEAD).get(runKey)
  const { epoch, nextSeq, nextWakeAt } = expected
  if (head?.['epoch'] !== epoch || head['next_seq'] !== nextSeq) return undefined
  return nextWakeAt === undefined || head['next_wake_at'] === nextWakeAt ? head : undefined
}

/** Without a request key the insertion itself finds a run with the same id. */
function existing({ connection }: Turn, create: NewRun): CommitResult | undefined {
  if (create.requestKey === undefined) return undefined
  if (connection.sql(FIND_RUN).get(create.tenantId, create.runId) !== undefined) return RUN_EXISTS
  const same = connection.sql(REQUEST_EXISTS).get(create.tenantId, create.requestKey)
  return same === undefined ? undefined : { kind: 'request-exists', runId: text(same, 'run_id') }
}

/** Undefined: there is a run with this id, and nothing was written. */
function insertRun(turn: Turn, one: RunCommit, create: NewRun): RunKey | undefined {
  const { parent } = create
  const { changes, lastInsertRowid } = turn.connection
    .sql(INSERT_RUN)
    .run(
      create.runId,
      create.tenantId,
      create.projectId,
      create.environmentId,
      create.planId,
      create.planVersion,
      create.planSha256,
      create.engineType,
      create.engineRunRef,
      create.requestKey ?? null,
      create.originalRunId ?? null,
      parent?.runId ?? null,
      parent?.slot ?? null,
      parent?.attempt ?? null,
      create.triggeredBy ?? null,
      turn.now,
      ...movedValues(one, turn.now, ZERO_HASH),
      one.summary.status,
      one.summary.nextWakeAt ?? null,
      one.summary.owed === true ? 1 : 0,
      one.summary.endedAt ?? null,
      one.lease?.owner ?? null,
      one.lease?.until ?? null,
    )
  return changes === 0 ? undefined : Number(lastInsertRowid)
}

function writeRest(turn: Turn, one: RunCommit, runKey: RunKey): void {
  const { connection, now } = turn
  if (one.lease !== undefined && one.create === undefined)
    connection.sql(SET_LEASE).run(one.lease.owner, one.lease.until, runKey)
  if (one.engine !== undefined) connection.sql(SET_ENGINE).run(one.engine.engineType, one.engine.engineRunRef, runKey)
  if (one.consumed !== undefined) consume(connection, runKey, one.consumed)
  for (const write of one.context ?? []) writeContext(connection, runKey, write)
  for (const { sha256, text: body } of one.blobs ?? []) putBlob(connection, runKey, sha256, body)
  for (const { run, row } of one.notify ?? []) notify(connection, run, row, now)
}
