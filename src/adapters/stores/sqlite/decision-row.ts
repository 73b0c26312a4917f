/** Translates the columns of a decision into its record and back; an absent value is NULL there and left out here. */
import type { EngineResult, SignalDecision, SignalDecisionRecord } from '../../../ports/decisions.ts'
import { number, text, type Columns } from './run-row.ts'

/** In the order of the insert. */
export function decisionColumns(record: SignalDecisionRecord): readonly (string | number | null)[] {
  const { audit, engineResult, approvalRequired } = record
  const { reason = null, reasonCode = null, payloadSha256 = null, engineProcessedAt = null } = record
  const { approvedBy = null, approvalTimestamp = null } = record
  return [
    audit.tenantId,
    record.runId,
    record.signalId,
    record.signalDecisionId,
    record.policyDecisionId,
    record.decision,
    reason,
    reasonCode,
    audit.actorId,
    audit.actorRole,
    audit.timestamp,
    audit.reason ?? null,
    audit.sourceIp ?? null,
    record.signalType,
    record.signalPayload,
    payloadSha256,
    engineProcessedAt,
    engineResult?.status ?? null,
    engineResult?.errorCode ?? null,
    approvalRequired === undefined ? null : Number(approvalRequired),
    approvedBy,
    approvalTimestamp,
  ]
}

export function decisionOf(row: Columns): SignalDecisionRecord {
  const optional = (column: string, name: string) => (row[column] === null ? {} : { [name]: text(row, column) })
  return {
    signalDecisionId: text(row, 'signal_decision_id'),
    signalId: text(row, 'signal_id'),
    runId: text(row, 'run_id'),
    decision: text(row, 'decision') as SignalDecision,
    ...optional('reason', 'reason'),
    ...optional('reason_code', 'reasonCode'),
    policyDecisionId: text(row, 'policy_decision_id'),
    audit: {
      actorId: text(row, 'actor_id'),
      actorRole: text(row, 'actor_role'),
      tenantId: text(row, 'tenant_id'),
      timestamp: number(row, 'decided_at'),
      ...optional('audit_reason', 'reason'),
      ...optional('source_ip', 'sourceIp'),
    },
    signalType: text(row, 'signal_type'),
    signalPayload: text(row, 'signal_payload'),
    ...optional('payload_sha256', 'payloadSha256'),
    ...(row['engine_processed_at'] === null
      ? {}
      : { engineProcessedAt: number(row, 'engine_processed_at'), engineResult: resultOf(row) }),
    ...(row['approval_required'] === null ? {} : { approvalRequired: Boolean(row['approval_required']) }),
    ...optional('approved_by', 'approvedBy'),
    ...(row['approved_at'] === null ? {} : { approvalTimestamp: number(row, 'approved_at') }),
  }
}

function resultOf(row: Columns): EngineResult {
  const status = text(row, 'engine_status') as EngineResult['status']
  return row['engine_error_code'] === null ? { status } : { status, errorCode: text(row, 'engine_error_code') }
}
