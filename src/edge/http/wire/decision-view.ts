/** A decision about a signal in the words of the HTTP interface (AUT-01). Times are instants, the payload is JSON. */
import { payloadOf } from '../../../app/signals/decision-record.ts'
import type { SignalDecision } from '../../../app/signals/signal-decision.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { SignalDecisionRecord } from '../../../ports/decisions.ts'

export function decisionView(record: SignalDecisionRecord, startedExecutionId?: string): object {
  const {
    runId,
    audit,
    signalPayload: _text,
    payloadSha256: _hash,
    engineProcessedAt,
    approvalTimestamp,
    ...rest
  } = record
  const payload = payloadOf(record)
  return {
    ...rest,
    executionId: runId,
    audit: { ...audit, timestamp: isoFromMs(audit.timestamp) },
    ...(payload === undefined ? {} : { signalPayload: payload }),
    ...(engineProcessedAt === undefined ? {} : { engineProcessedAt: isoFromMs(engineProcessedAt) }),
    ...(approvalTimestamp === undefined ? {} : { approvalTimestamp: isoFromMs(approvalTimestamp) }),
    ...(startedExecutionId === undefined ? {} : { startedExecutionId }),
  }
}

/** Of a signal that an earlier version took, which kept no records: what the log says of it. */
export function loggedDecisionView(executionId: string, logged: SignalDecision): object {
  const { runSeq: _seq, applied: _applied, ...rest } = logged
  const { timestamp } = logged.audit
  const errorCode = logged.reasonCode === undefined ? {} : { errorCode: logged.reasonCode }
  const status = logged.decision === 'ACCEPTED' ? 'success' : 'failure'
  return { ...rest, executionId, engineProcessedAt: timestamp, engineResult: { status, ...errorCode } }
}
