/**
 * Reads a signal back from its event. The sender's permission comes from outside and is trusted; the decider's answer
 * is not, and only a refusal that the decider itself never gives counts as the former.
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { Authorization, InputBody } from '../../core/run/input.ts'

/**
 * Codes with which the decider refuses; every other comes from authorisation or from the check of the payload (SIG-05,
 *
 */
const STATE_CODES: ReadonlySet<string> = new Set([
  'RUN_TERMINAL',
  'RUN_NOT_RUNNING',
  'RUN_NOT_TERMINAL',
  'RUN_NOT_FORKABLE',
  'STEP_UNKNOWN',
  'STEP_NOT_TERMINAL',
  'STEP_TERMINAL',
  'STEP_RUNNING',
  'STEP_NOT_FAILED',
  'APPROVAL_SPENT',
  'APPROVAL_BINDS_INPUT',
  'PERSON_NOT_NAMED',
])

type Fields = Readonly<Record<string, unknown>>

export function recordedSignal(signalId: string, records: readonly LogRecord[]): InputBody {
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

function authorizationOf(record: LogRecord | undefined): Authorization {
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

/** After erasure only the parts repeated in structural payloads are left: enough to decide, not to compare the text. */
function sentPayload(record: LogRecord | undefined, records: readonly LogRecord[]): Fields {
  const sent = record?.data?.['signalPayload']
  if (typeof sent === 'object' && sent !== null) return sent as Fields
  const { reason, target, freshKey, undo } = (record?.payload ?? {}) as Partial<Payload<'SignalAccepted'>>
  const level = records.find((one) => one.eventType === 'AlertEscalated')?.payload?.['level']
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(target === undefined ? {} : { stepId: target }),
    ...(freshKey === undefined ? {} : { freshKey }),
    ...(undo === undefined ? {} : { undo }),
    ...(level === undefined ? {} : { level }),
  }
}
