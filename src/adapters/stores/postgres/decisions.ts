/**
 * Decisions about signals (AUT-01): a record and the inbox row of its run come together or not at all. Records are never removed; an
 * erasure ticket empties what may be personal (sql/0034-erased-addresses.sql).
 */
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  DecisionFilter,
  DecisionPage,
  DecisionRef,
  DecisionStore,
  RecordAnswer,
  SettleAnswer,
  Settlement,
  SignalDecisionRecord,
} from '../../../ports/decisions.ts'
import type { InboxInsert, RunRef } from '../../../ports/run-store.ts'
import { decisionColumns, decisionOf } from './decision-row.ts'
import { serializationFailure } from './failure.ts'
import { insertInbox } from './inbox.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, Sessions } from './session.ts'

/** Whoever records about this run waits here, so that the look after it sees what was recorded meanwhile. */
const LOCK_RUN = 'SELECT 1 FROM keelson.runs WHERE tenant_id = $1 AND run_id = $2 FOR NO KEY UPDATE'
const INSERT = `INSERT INTO keelson.signal_decisions (tenant_id, run_id, signal_id, signal_decision_id, policy_decision_id, decision,
  reason, reason_code, actor_id, actor_role, decided_at, audit_reason, source_ip, signal_type, signal_payload, payload_sha256,
  engine_processed_at, engine_status, engine_error_code, approval_required, approved_by, approved_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
  ON CONFLICT DO NOTHING RETURNING 1`
const BY_SIGNAL = 'SELECT * FROM keelson.signal_decisions WHERE tenant_id = $1 AND run_id = $2 AND signal_id = $3'
const BY_ID = 'SELECT * FROM keelson.signal_decisions WHERE tenant_id = $1 AND signal_decision_id = $2'
const BY_POLICY = `SELECT * FROM keelson.signal_decisions WHERE tenant_id = $1 AND policy_decision_id = $2
  ORDER BY decision_pos LIMIT 1`
const LOCK = `${BY_ID} FOR NO KEY UPDATE`
const SETTLE = `UPDATE keelson.signal_decisions SET decision = $3, approved_by = $4, approved_at = $5,
  reason = coalesce($6, reason) WHERE tenant_id = $1 AND signal_decision_id = $2 RETURNING *`
const NOTE = `UPDATE keelson.signal_decisions SET engine_processed_at = $3, engine_status = $4, engine_error_code = $5
  WHERE tenant_id = $1 AND signal_decision_id = $2 AND engine_processed_at IS NULL RETURNING 1`

export function decisionsOf(connection: Sessions, clock: Clock | undefined): DecisionStore {
  return {
    recordDecision: async (record, inboxRow) => {
      requireTenant(record.audit.tenantId)
      return connection.transaction((session) => recordDecision(session, record, inboxRow, clock))
    },
    findDecision: (tenantId, ref) => findDecision(connection, tenantId, ref),
    listDecisions: (tenantId, filter, page) => listDecisions(connection, tenantId, filter, page),
    settleDecision: async (tenantId, signalDecisionId, settlement, inboxRow) => {
      const name = [requireTenant(tenantId), signalDecisionId]
      return connection.transaction((session) => settleDecision(session, name, settlement, inboxRow, clock))
    },
    noteResult: async (tenantId, signalDecisionId, at, { status, errorCode }) => {
      const values = [requireTenant(tenantId), signalDecisionId, at, status, errorCode]
      return (await connection.query(NOTE, values)).length > 0
    },
  }
}

async function recordDecision(
  session: Session,
  record: SignalDecisionRecord,
  inboxRow: InboxInsert | undefined,
  clock: Clock | undefined,
): Promise<RecordAnswer> {
  const { runId, signalId, signalDecisionId, audit } = record
  const { tenantId } = audit
  const isRun = (await session.query(LOCK_RUN, [tenantId, runId])).length > 0
  const known =
    (await findDecision(session, tenantId, { runId, signalId })) ??
    (await findDecision(session, tenantId, { signalDecisionId }))
  if (known !== undefined) return { kind: 'exists', record: known }
  if (!isRun) return { kind: 'no-run' }
  const refused = await tell(session, { tenantId, runId }, inboxRow, clock)
  if (refused !== undefined) return refused
  const stored = await session.query(INSERT, decisionColumns(record))
  if (stored.length === 0) throw serializationFailure('an id of a decision was taken between the look and the insert')
  return { kind: 'recorded' }
}

/** Why the run cannot be told; undefined when it was, or when there is nothing to tell it. */
async function tell(session: Session, ref: RunRef, inboxRow: InboxInsert | undefined, clock: Clock | undefined) {
  if (inboxRow === undefined) return undefined
  const answer = await insertInbox(session, ref, inboxRow, clock)
  return answer.kind === 'no-run' || answer.kind === 'conflict' ? answer : undefined
}

async function findDecision(
  session: Session,
  tenantId: string,
  ref: DecisionRef,
): Promise<SignalDecisionRecord | undefined> {
  requireTenant(tenantId)
  const [row] = await findRows(session, tenantId, ref)
  return row === undefined ? undefined : decisionOf(row)
}

function findRows(session: Session, tenantId: string, ref: DecisionRef): Promise<readonly Columns[]> {
  if ('signalId' in ref) return session.query(BY_SIGNAL, [tenantId, ref.runId, ref.signalId])
  if ('signalDecisionId' in ref) return session.query(BY_ID, [tenantId, ref.signalDecisionId])
  return session.query(BY_POLICY, [tenantId, ref.policyDecisionId])
}

async function listDecisions(
  session: Session,
  tenantId: string,
  filter: DecisionFilter,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<DecisionPage> {
  requireTenant(tenantId)
  const limit = Math.max(1, Math.floor(page.limit))
  const after = page.cursor === undefined ? [] : placeOf(page.cursor)
  const values = [tenantId, limit + 1, ...after, ...(filter.runId === undefined ? [] : [filter.runId])]
  const rows = await session.query(listQuery(filter, after.length > 0), values)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const decisions = shown.map(decisionOf)
  if (last === undefined || rows.length <= limit) return { decisions }
  return { decisions, next: cursorOf(last) }
}

export function listQuery({ runId, state }: DecisionFilter, isLater: boolean): string {
  const terms = [
    'tenant_id = $1',
    ...(isLater ? ['(decided_at, decision_pos) > ($3::bigint, $4::bigint)'] : []),
    ...(runId === undefined ? [] : [`run_id = $${isLater ? 5 : 3}`]),
    ...(state === undefined ? [] : [`decision = 'PENDING'`]),
  ]
  return `SELECT * FROM keelson.signal_decisions WHERE ${terms.join(' AND ')} ORDER BY decided_at, decision_pos LIMIT $2`
}

function cursorOf(row: Columns): string {
  return Buffer.from(`${number(row, 'decided_at')}.${number(row, 'decision_pos')}`).toString('base64url')
}

function placeOf(cursor: string): readonly number[] {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return [Number(match[1]), Number(match[2])]
}

/** The lock on the record makes it once; `name` is the tenant and the id. */
async function settleDecision(
  session: Session,
  name: readonly string[],
  { decision, approvedBy, approvalTimestamp, reason }: Settlement,
  inboxRow: InboxInsert | undefined,
  clock: Clock | undefined,
): Promise<SettleAnswer> {
  const [found] = await session.query(LOCK, name)
  if (found === undefined) return { kind: 'no-decision' }
  if (found['decision'] !== 'PENDING') return { kind: 'already', record: decisionOf(found) }
  const ref = { tenantId: text(found, 'tenant_id'), runId: text(found, 'run_id') }
  const refused = await tell(session, ref, inboxRow, clock)
  if (refused !== undefined) return refused
  const [settled = {}] = await session.query(SETTLE, [...name, decision, approvedBy, approvalTimestamp, reason])
  return { kind: 'settled', record: decisionOf(settled) }
}
