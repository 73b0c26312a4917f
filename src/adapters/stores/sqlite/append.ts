/**
 * The commit (P-08): one transaction for the batch, in which a run that loses its compare-and-set or breaks a constraint
 * leaves the others standing. The hot path of the product: few statements, each prepared once.
 */
import type { SQLInputValue } from 'node:sqlite'
import type { Clock } from '../../../ports/clock.ts'
import type { CommitResult, NewRun, RunCommit, RunKey, RunSummary } from '../../../ports/run-store.ts'
import { putBlob } from './blobs.ts'
import type { Connection } from './connect.ts'
import { writeContext } from './context.ts'
import { moveStatus, writeMoves, type StatusMoves } from './counts.ts'
import { brokenConstraint } from './failure.ts'
import { queueGrants, takeGrants, usesGrants } from './grants.ts'
import { insertEvents, withOpenGate } from './insert-events.ts'
import { consume, consumptionRefusal, notify } from './inbox.ts'
import { bytes, number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const HEAD = `SELECT run_key, epoch, next_seq, head_hash, status, next_wake_at, owed, ended_at, tenant_id FROM runs
  WHERE run_key = ? AND archived_at IS NULL`
/** What few commits need is asked for by those. */
const FEED_POS = 'SELECT feed_pos FROM runs WHERE run_key = ?'
const RUN_EXISTS = 'SELECT 1 FROM runs WHERE run_id = ?'
const REQUEST_EXISTS = 'SELECT run_id FROM runs WHERE tenant_id = ? AND request_key = ?'
const LAST_FEED = 'SELECT feed_pos FROM runs ORDER BY feed_pos DESC LIMIT 1'
const INSERT_RUN = `INSERT INTO runs (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, plan_sha256,
  engine_type, engine_run_ref, request_key, original_run_id, parent_run_id, parent_slot, parent_attempt, triggered_by,
  created_at, updated_at, epoch, next_seq, head_hash, feed_pos, substatus, rules_version, min_rules_version, started_at,
  steps_total, steps_done, steps_failed, error_code, status, next_wake_at, owed, ended_at, lease_owner, lease_until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const MOVED = `updated_at = ?, epoch = ?, next_seq = ?, head_hash = ?, feed_pos = ?, substatus = ?, rules_version = ?,
  min_rules_version = ?, started_at = ?, steps_total = ?, steps_done = ?, steps_failed = ?, error_code = ?`
/** Columns named in a SET have their indexes rewritten even if they stay equal; so they are named only if they change. */
const INDEXED = ['status', 'next_wake_at', 'owed', 'ended_at'] as const
/** By the set of those that change, as bits. */
const UPDATES = Array.from({ length: 1 << INDEXED.length }, (_, bits) => {
  const changed = INDEXED.filter((_column, at) => (bits & (1 << at)) !== 0).map((column) => `, ${column} = ?`)
  return `UPDATE runs SET ${MOVED}${changed.join('')} WHERE run_key = ?`
})
const SET_LEASE = 'UPDATE runs SET lease_owner = ?, lease_until = ? WHERE run_key = ?'
const SET_ENGINE = 'UPDATE runs SET engine_type = ?, engine_run_ref = ? WHERE run_key = ?'

const ZERO_HASH = new Uint8Array(32)

interface Turn {
  readonly connection: Connection
  readonly now: number
  readonly moves: StatusMoves
  feedPos: number
}

export async function commit(
  connection: Connection,
  batch: readonly RunCommit[],
  clock: Clock,
): Promise<readonly CommitResult[]> {
  for (const { create, notify: letters } of batch) {
    if (create !== undefined) requireTenant(create.tenantId)
    for (const { run } of letters ?? []) requireTenant(run.tenantId)
  }
  if (batch.length === 0) return []
  let broken: CommitResult | undefined
  try {
    return await writeBatch(connection, batch, clock, (turn, one) => {
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
  // Broken constraints are our own defects. A savepoint for each run would make every batch pay for them: it copies pages.
  return batch.length === 1 ? [broken] : writeBatch(connection, batch, clock, commitInSavepoint)
}

function writeBatch(
  connection: Connection,
  batch: readonly RunCommit[],
  clock: Clock,
  write: (turn: Turn, one: RunCommit) => CommitResult,
): Promise<readonly CommitResult[]> {
  return connection.write(() =>
    withOpenGate(connection, () => {
      const turn = newTurn(connection, clock)
      const results = batch.map((one) => write(turn, one))
      writeMoves(connection, turn.moves)
      return results
    }),
  )
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

/** Within the transaction: the time of writing is not the time before a wait for the lock. */
function newTurn(connection: Connection, clock: Clock): Turn {
  const feedPos = Number(connection.sql(LAST_FEED).get()?.['feed_pos'] ?? 0)
  return { connection, now: clock.now(), moves: new Map(), feedPos }
}

/**
 * A refusal it returns without grants is found before its first write; with grants, and for a broken constraint, which
 * SQLite throws, the caller undoes what was written.
 */
function commitRun(turn: Turn, one: RunCommit): CommitResult {
  const { connection, now } = turn
  const { create, events } = one
  const head = create === undefined ? headOf(turn, one) : undefined
  const refusal = create === undefined ? (head === undefined ? CONFLICT : undefined) : existing(turn, create)
  if (refusal !== undefined) return refusal
  const consumption = consumptionRefusal(connection, one)
  if (consumption === 'conflict') return CONFLICT
  if (consumption === 'constraint') return { kind: 'constraint', detail: 'inboxId' }
  if (!usesGrants(one) && !areNumbered(one)) return MISNUMBERED
  const runKey = create === undefined ? number(head ?? {}, 'run_key') : insertRun(turn, one, create)
  const tenantId = create?.tenantId ?? text(head ?? {}, 'tenant_id')
  const owner = usesGrants(one) ? { runKey, tenantId } : undefined
  const grants = owner === undefined ? undefined : takeGrants(connection, owner, one, now)
  if (grants !== undefined && grants.refused.length > 0) return { kind: 'ungranted', refused: grants.refused }
  if (grants !== undefined && !areNumbered(one)) return MISNUMBERED
  insertEvents(connection, runKey, events, now)
  if (head !== undefined) updateRun(turn, one, head)
  writeRest(turn, one, runKey)
  if (grants !== undefined && owner !== undefined) queueGrants(grants, owner, one)
  const before = head === undefined ? undefined : text(head, 'status')
  if (before !== one.summary.status) moveStatus(turn.moves, tenantId, before, one.summary.status)
  return { kind: 'committed', runKey, persistedAt: now }
}

const CONFLICT: CommitResult = { kind: 'conflict' }
const MISNUMBERED: CommitResult = { kind: 'constraint', detail: 'runSeq' }

function areNumbered({ events, expected }: RunCommit): boolean {
  return events.every((event, index) => event.runSeq === expected.nextSeq + index)
}

function headOf(turn: Turn, { runKey, expected }: RunCommit): Columns | undefined {
  const head = runKey === undefined ? undefined : turn.connection.sql(HEAD).get(runKey)
  return head?.['epoch'] === expected.epoch && head['next_seq'] === expected.nextSeq ? head : undefined
}

function existing({ connection }: Turn, create: NewRun): CommitResult | undefined {
  if (connection.sql(RUN_EXISTS).get(create.runId) !== undefined) return { kind: 'run-exists' }
  if (create.requestKey === undefined) return undefined
  const same = connection.sql(REQUEST_EXISTS).get(create.tenantId, create.requestKey)
  return same === undefined ? undefined : { kind: 'request-exists', runId: text(same, 'run_id') }
}

function insertRun(turn: Turn, one: RunCommit, create: NewRun): RunKey {
  const { parent } = create
  const { lastInsertRowid } = turn.connection
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
      ...moved(turn, one, ZERO_HASH, ++turn.feedPos),
      one.summary.status,
      one.summary.nextWakeAt ?? null,
      one.summary.owed === true ? 1 : 0,
      one.summary.endedAt ?? null,
      one.lease?.owner ?? null,
      one.lease?.until ?? null,
    )
  return Number(lastInsertRowid)
}

function updateRun(turn: Turn, one: RunCommit, head: Columns): void {
  const { status, nextWakeAt = null, endedAt = null } = one.summary
  // Without events there is nothing for the feed to come by for.
  const runKey = number(head, 'run_key')
  const isQuiet = one.events.length === 0
  const feedPos = isQuiet ? number(turn.connection.sql(FEED_POS).get(runKey) ?? {}, 'feed_pos') : ++turn.feedPos
  const values = moved(turn, one, bytes(head, 'head_hash'), feedPos)
  const indexed = [status, nextWakeAt, one.summary.owed === true ? 1 : 0, endedAt]
  let bits = 0
  for (const [at, column] of INDEXED.entries()) {
    const value = indexed[at] ?? null
    if (value === head[column]) continue
    bits |= 1 << at
    values.push(value)
  }
  turn.connection.sql(UPDATES[bits] ?? '').run(...values, runKey)
}

/** The values of MOVED, in its order. */
function moved(turn: Turn, one: RunCommit, headBefore: Uint8Array, feedPos: number): SQLInputValue[] {
  const { events, expected } = one
  const summary: RunSummary = one.summary
  return [
    turn.now,
    one.newEpoch ?? expected.epoch,
    expected.nextSeq + events.length,
    events.at(-1)?.chainHash ?? headBefore,
    feedPos,
    summary.substatus ?? null,
    summary.rulesVersion,
    summary.minRulesVersion,
    summary.startedAt ?? null,
    summary.stepsTotal,
    summary.stepsDone,
    summary.stepsFailed,
    summary.errorCode ?? null,
  ]
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
