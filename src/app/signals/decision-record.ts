/**
 * The record of a decision about a signal (AUT-01) and the inbox row by which its run is told: what is stored before a signal is
 * applied. The id of a record follows from its signal, so a repeat in another process names the same record.
 */
import type { Authorization } from '../../core/run/input.ts'
import type { SignalDecisionRecord } from '../../ports/decisions.ts'
import type { InboxInsert, InboxRow, RunRef } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { Judgement, SignalRequest, SignalSender } from './judge-signal.ts'

const ID_CHARS = 32

export function decisionIdOf({ tenantId, runId }: RunRef, signalId: string): string {
  return sha256Hex(JSON.stringify(['signal-decision', tenantId, runId, signalId])).slice(0, ID_CHARS)
}

export function signalInboxId(signalId: string): string {
  return `signal:${signalId}`
}

/** What a refused payload holds is quoted in the reason, and no column keeps a NUL. The payload itself is kept as JSON, which writes it. */
function keepable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed()
}

export function decisionRecord(
  run: RunRef,
  { signalId, signalType, payload }: SignalRequest,
  { sourceIp }: Pick<SignalSender, 'sourceIp'>,
  { authorization, needsApproval }: Judgement,
  now: number,
): SignalDecisionRecord {
  const { allowed, policyDecisionId, actorId = '', actorRole = '', reasonCode, reason } = authorization
  const why = payload['reason']
  return {
    signalDecisionId: decisionIdOf(run, signalId),
    signalId,
    runId: run.runId,
    decision: needsApproval ? 'PENDING' : allowed ? 'ACCEPTED' : 'REJECTED',
    ...(reason === undefined ? {} : { reason: keepable(reason) }),
    ...(reasonCode === undefined ? {} : { reasonCode }),
    policyDecisionId,
    audit: {
      actorId,
      actorRole,
      tenantId: run.tenantId,
      timestamp: now,
      ...(typeof why === 'string' ? { reason: keepable(why) } : {}),
      ...(sourceIp === undefined ? {} : { sourceIp }),
    },
    signalType,
    signalPayload: canonicalText(payload),
    ...(needsApproval ? { approvalRequired: true } : {}),
  }
}

export function signalInboxRow(
  { signalId, signalType, payload }: SignalRequest,
  authorization: Authorization,
): InboxInsert {
  const body = JSON.stringify({ signalId, signalType, payload, authorization })
  return { inboxId: signalInboxId(signalId), kind: 'signal', body }
}

/** Undefined once it was erased. */
export function payloadOf({ signalPayload }: SignalDecisionRecord): SignalRequest['payload'] | undefined {
  return signalPayload === '' ? undefined : (JSON.parse(signalPayload) as SignalRequest['payload'])
}

/** After erasure only the hash of the payload is left to compare with. */
export function isRecordOf(record: SignalDecisionRecord, { signalType, payload }: SignalRequest): boolean {
  const text = canonicalText(payload)
  const isSame =
    record.payloadSha256 === undefined ? record.signalPayload === text : record.payloadSha256 === sha256Hex(text)
  return isSame && record.signalType === signalType
}

/** The inbox row of a version that kept no records. An erased one cannot be compared: it counts as the same. */
export function isRowOf({ body }: InboxRow, { signalType, payload }: SignalRequest): boolean {
  if (body === '') return true
  const sent = JSON.parse(body) as SignalRequest
  return (
    canonicalText({ signalType: sent.signalType, payload: sent.payload }) === canonicalText({ signalType, payload })
  )
}
