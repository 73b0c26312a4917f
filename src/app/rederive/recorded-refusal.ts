/** Reads a refused completion back from its record: what it said, and how many changes its sender had seen. */
import type { ErrorInfo, LogRecord, Payload } from '../../core/events/event.ts'
import type { InputBody, Outcome } from '../../core/run/input.ts'
import { COMPLETE_TASK } from '../../core/run/signals/catalogue.ts'

/** The assignment of a mapped task is trusted as recorded. */
interface Sent extends Pick<Refused, 'seenChanges' | 'notAssigned'> {
  readonly completion?: string
}

type Refused = Pick<Extract<InputBody, { kind: 'outcome' }>, 'outcome' | 'seenChanges' | 'notAssigned'>

/** Undefined when the record is not about the slot. */
export function refusedCompletion(record: LogRecord | undefined, slot: string): Refused | undefined {
  if (record?.eventType !== 'SignalRejected') return undefined
  const { signalType, target, actorId } = (record.payload ?? {}) as Partial<Payload<'SignalRejected'>>
  if (signalType !== COMPLETE_TASK || target !== slot) return undefined
  const { completion, ...told } = (record.data?.['signalPayload'] ?? {}) as Sent
  return { outcome: outcomeOf(completion, actorId), ...told }
}

function outcomeOf(completion: string | undefined, actorId: string | undefined): Outcome {
  const by = actorId === undefined ? {} : { actorId }
  if (completion === 'Succeeded') return { kind: 'completed', payload: { artifactRefs: [], ...by } }
  const code = completion === 'Cancelled' ? 'MANUAL_CANCELLED' : 'MANUAL_FAILED'
  const error: ErrorInfo = { code, retryable: false, errorClass: 'permanent', category: 'business' }
  return { kind: 'failed', error, ...by }
}
