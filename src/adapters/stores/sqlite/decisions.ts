/** Decisions about signals (AUT-01): a record and the inbox row of its run come together or not at all. Records are never removed. */
import { hash } from 'node:crypto'
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
import type { InboxInsert, RunKey, RunRef } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { decisionColumns, decisionOf } from './decision-row.ts'
import { notify } from './inbox.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const RUN = 'SELECT 1 FROM runs WHERE tenant_id = ? AND run_id = ?'
const INSERT = `INSERT INTO signal_decisions (tenant_id, run_id, signal_id, signal_decision_id, policy_decision_id, decision, reason,
  reason_code, actor_id, actor_role, decided_at, audit_reason, source_ip, signal_type, signal_payload, payload_sha256,
  engine_processed_at, engine_status, engine_error_code, approval_required, approved_by, approved_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const BY_SIGNAL = 'SELECT * FROM signal_decisions WHERE tenant_id = ? AND run_id = ? AND signal_id = ?'
const BY_ID = 'SELECT * FROM signal_decisions WHERE tenant_id = ? AND signal_decision_id = ?'
const BY_POLICY = `SELECT * FROM signal_decisions INDEXED BY signal_decisions_policy
  WHERE tenant_id = ? AND policy_decision_id = ? ORDER BY decision_pos LIMIT 1`
const SETTLE = `UPDATE signal_decisions SET decision = ?, approved_by = ?, approved_at = ?, reason = coalesce(?, reason)
  WHERE tenant_id = ? AND signal_decision_id = ? AND decision = 'PENDING' RETURNING *`
const NOTE = `UPDATE signal_decisions SET engine_processed_at = ?, engine_status = ?, engine_error_code = ?
  WHERE tenant_id = ? AND signal_decision_id = ? AND engine_processed_at IS NULL`
const OF_RUN = `SELECT d.decision_pos, d.signal_payload FROM signal_decisions d JOIN runs r
  ON r.tenant_id = d.tenant_id AND r.run_id = d.run_id WHERE r.run_key = ? AND d.payload_sha256 IS NULL`
const ERASE = `UPDATE signal_decisions SET signal_payload = '', payload_sha256 = ?, reason = NULL, audit_reason = NULL,
  source_ip = NULL WHERE decision_pos = ?`

export function decisionsOf(connection: Connection, clock: Clock): DecisionStore {
  return {
    recordDecision: async (record, inboxRow) => {
      requireTenant(record.audit.tenantId)
      return connection.write(() => recordDecision(connection, record, inboxRow, clock.now()))
    },
    findDecision: async (tenantId, ref) => {
      requireTenant(tenantId)
      return connection.read(() => findDecision(connection, tenantId, ref))
    },
    listDecisions: (tenantId, filter, page) => listDecisions(connection, tenantId, filter, page),
    settleDecision: async (tenantId, signalDecisionId, settlement, inboxRow) => {
      requireTenant(tenantId)
      const named = { tenantId, signalDecisionId }
      return connection.write(() => settleDecision(connection, named, settlement, inboxRow, clock.now()))
    },
    noteResult: async (tenantId, signalDecisionId, at, { status, errorCode = null }) => {
      requireTenant(tenantId)
      const values = [at, status, errorCode, tenantId, signalDecisionId]
      return connection.write(() => Number(connection.sql(NOTE).run(...values).changes) > 0)
    },
  }
}

function recordDecision(
  connection: Connection,
  record: SignalDecisionRecord,
  inboxRow: InboxInsert | undefined,
  now: number,
): RecordAnswer {
  const { runId, signalId, signalDecisionId, audit } = record
  const { tenantId } = audit
  const known =
    findDecision(connection, tenantId, { runId, signalId }) ?? findDecision(connection, tenantId, { signalDecisionId })
  if (known !== undefined) return { kind: 'exists', record: known }
  if (connection.sql(RUN).get(tenantId, runId) === undefined) return { kind: 'no-run' }
  const refused = tell(connection, { tenantId, runId }, inboxRow, now)
  if (refused !== undefined) return refused
  connection.sql(INSERT).run(...decisionColumns(record))
  return { kind: 'recorded' }
}

/** Why the run cannot be told; undefined when it was, or when there is nothing to tell it. */
function tell(connection: Connection, ref: RunRef, inboxRow: InboxInsert | undefined, now: number) {
  if (inboxRow === undefined) return undefined
  const answer = notify(connection, ref, inboxRow, now)
  return answer.kind === 'no-run' || answer.kind === 'conflict' ? answer : undefined
}

function findDecision(connection: Connection, tenantId: string, ref: DecisionRef): SignalDecisionRecord | undefined {
  const row = findRow(connection, tenantId, ref)
  return row === undefined ? undefined : decisionOf(row)
}

function findRow(connection: Connection, tenantId: string, ref: DecisionRef): Columns | undefined {
  if ('signalId' in ref) return connection.sql(BY_SIGNAL).get(tenantId, ref.runId, ref.signalId)
  if ('signalDecisionId' in ref) return connection.sql(BY_ID).get(tenantId, ref.signalDecisionId)
  return connection.sql(BY_POLICY).get(tenantId, ref.policyDecisionId)
}

async function listDecisions(
  connection: Connection,
  tenantId: string,
  filter: DecisionFilter,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<DecisionPage> {
  requireTenant(tenantId)
  const limit = Math.max(1, Math.floor(page.limit))
  const after = page.cursor === undefined ? [] : placeOf(page.cursor)
  const values = [tenantId, ...(filter.runId === undefined ? [] : [filter.runId]), ...after, limit + 1]
  const rows = await connection.read(() => connection.sql(listQuery(filter, after.length > 0)).all(...values))
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const decisions = shown.map(decisionOf)
  if (last === undefined || rows.length <= limit) return { decisions }
  return { decisions, next: cursorOf(last) }
}

/** The index is named for the same reason as in list.ts. */
export function listQuery({ runId, state }: DecisionFilter, isLater: boolean): string {
  const index = runId !== undefined ? 'run' : state === undefined ? 'time' : 'pending'
  const terms = [
    'tenant_id = ?',
    ...(runId === undefined ? [] : ['run_id = ?']),
    ...(state === undefined ? [] : [`decision = 'PENDING'`]),
    ...(isLater ? ['(decided_at, decision_pos) > (?, ?)'] : []),
  ]
  return `SELECT * FROM signal_decisions INDEXED BY signal_decisions_${index} WHERE ${terms.join(' AND ')}
    ORDER BY decided_at, decision_pos LIMIT ?`
}

function cursorOf(row: Columns): string {
  return Buffer.from(`${number(row, 'decided_at')}.${number(row, 'decision_pos')}`).toString('base64url')
}

function placeOf(cursor: string): readonly number[] {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return [Number(match[1]), Number(match[2])]
}

function settleDecision(
  connection: Connection,
  named: { readonly tenantId: string; readonly signalDecisionId: string },
  { decision, approvedBy, approvalTimestamp, reason }: Settlement,
  inboxRow: InboxInsert | undefined,
  now: number,
): SettleAnswer {
  const { tenantId, signalDecisionId } = named
  const found = findDecision(connection, tenantId, { signalDecisionId })
  if (found === undefined) return { kind: 'no-decision' }
  if (found.decision !== 'PENDING') return { kind: 'already', record: found }
  const refused = tell(connection, { tenantId, runId: found.runId }, inboxRow, now)
  if (refused !== undefined) return refused
  const values = [decision, approvedBy, approvalTimestamp, reason ?? null, tenantId, signalDecisionId]
  return { kind: 'settled', record: decisionOf(connection.sql(SETTLE).get(...values) ?? {}) }
}

/**
 * Erasure of a run (P-34): payload, reasons and the address may be personal, as the log's `data` is, and go; who decided what and when
 * stays for seven years (AUT-11), with the hash by which a repeat is recognised. Of a record that is still pending nothing is left to
 * apply, so it can only be refused.
 */
export function eraseDecisions(connection: Connection, runKey: RunKey): void {
  for (const row of connection.sql(OF_RUN).all(runKey))
    connection.sql(ERASE).run(hash('sha256', text(row, 'signal_payload')), number(row, 'decision_pos'))
}
