/**
 * A draft is an event as the decider shapes it: type, slot, attempt, payload, data (P-42).
 * The append path adds the envelope, the key's hash, the decision and the chain.
 */
import type { EventData, EventType, Payload } from '../events/event.ts'

export interface Draft<T extends EventType = EventType> {
  readonly eventType: T
  readonly slot: string
  readonly attempt: number
  readonly payload: Payload<T>
  readonly data?: EventData
  readonly engineAttempt?: number
  readonly causedBySignalId?: string
}
