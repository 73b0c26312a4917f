/**
 * A signal as it came in, read back from the event it became. Whether its sender was allowed is the outside's word; what
 * the state said to it is the decider's, and only a refusal that the decider never gives by itself counts as the former.
 */
import type { ForeignRecord, Payload } from '../core/events/event.ts'
import type { Authorization, InputBody } from '../core/run/input.ts'

/** Codes by which the state refuses; every other comes from authorisation or from the check of the payload (SIG-05, X-98). */
const STATE_CODES: ReadonlySet<string> = new Set([
  'RUN_TERMINAL',
  'RUN_NOT_RUNNING',
  'RUN_NOT_TERMINAL',
  'STEP_UNKNOWN',
  'STEP_NOT_TERMINAL',
  'STEP_TERMINAL',
  'STEP_RUNNING',
  'STEP_NOT_FAILED',
])

type Fields = Readonly<Record<string, unknown>>

export function recordedSignal(signalId: string, records: readonly ForeignRecord[]): InputBody {
  const [first] = records
  const payload = (first?.payload ?? {}) as Partial<Payload<'SignalAccepted'>>
  return {
    kind: 'signal',
    signalId,
    signalType: payload.signalType ?? '',
    payload: sentPayload(first, records),
    authorization: authorizationOf(first),
  }
}

function authorizationOf(record: ForeignRecord | undefined): Authorization {
  const payload = (record?.payload ?? {}) as Partial<Payload<'SignalRejected'>>
  const { policyDecisionId = '', actorId, actorRole, reasonCode = '', reason } = payload
  const refused = record?.eventType === 'SignalRejected' && !STATE_CODES.has(reasonCode)
  return {
    allowed: !refused,
    policyDecisionId,
    ...(actorId === undefined ? {} : { actorId }),
    ...(actorRole === undefined ? {} : { actorRole }),
    ...(refused ? { reasonCode } : {}),
    ...(refused && reason !== undefined ? { reason } : {}),
  }
}

/** After erasure only what the structural payloads repeat of it is left: enough to decide, not to compare the text. */
function sentPayload(record: ForeignRecord | undefined, records: readonly ForeignRecord[]): Fields {
  const sent = record?.data?.['signalPayload']
  if (typeof sent === 'object' && sent !== null) return sent as Fields
  const { reason, target, freshKey } = (record?.payload ?? {}) as Partial<Payload<'SignalAccepted'>>
  const level = records.find((one) => one.eventType === 'AlertEscalated')?.payload?.['level']
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(target === undefined ? {} : { stepId: target }),
    ...(freshKey === undefined ? {} : { freshKey }),
    ...(level === undefined ? {} : { level }),
  }
}
