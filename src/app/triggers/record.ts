/** A trigger as it is kept: what it starts, how deliveries are signed, and how their content becomes the input. */
import { LIMITS } from '../../core/limits.ts'
import type { Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { StoredTrigger } from '../../ports/triggers.ts'
import { mapValue } from '../expressions/map-input.ts'
import type { SealedSecret } from './sealed-secret.ts'
import type { Scheme } from './signature.ts'

export interface TriggerDefinition {
  readonly planId: string
  readonly planVersion?: string | undefined
  readonly scheme: Scheme
  /** With `${input.body…}`, `${input.event}` and `${input.deliveryId}`; absent: the body is the input. */
  readonly input?: unknown
}

export interface TriggerRecord {
  readonly definition: TriggerDefinition
  readonly secret: SealedSecret | { readonly ref: string }
  readonly createdAt: number
  readonly createdBy: string
  readonly updatedAt: number
  readonly updatedBy: string
}

export interface Trigger {
  readonly tenantId: string
  readonly name: string
  readonly address: string
  readonly revision: number
  readonly record: TriggerRecord
}

/** What became of a delivery, for its owner. */
export interface DeliveryNote {
  readonly outcome: 'started' | 'repeated' | 'refused'
  readonly deliveryId?: string
  readonly runId?: string
  readonly code?: string
  readonly reason?: string
}

export function triggerOf({ body, ...stored }: StoredTrigger): Trigger {
  return { ...stored, record: JSON.parse(body) as TriggerRecord }
}

/** As the next revision. */
export function storedTrigger(trigger: Trigger, record: TriggerRecord): StoredTrigger {
  const { tenantId, name, address, revision } = trigger
  const body = JSON.stringify(record)
  if (Buffer.byteLength(body) > LIMITS.scheduleBytes)
    fail('TRIGGER_INVALID', `the trigger has more than ${LIMITS.scheduleBytes} bytes`)
  return { tenantId, name, address, revision: revision + 1, body }
}

export interface Content {
  readonly body: unknown
  readonly event?: string | undefined
  readonly deliveryId: string
}

/** The input that a delivery gives. */
export function mappedInput({ input }: TriggerDefinition, { body, event, deliveryId }: Content): unknown {
  if (input === undefined) return body
  return unwrap(mapValue(input as Json, { input: { body, event: event ?? null, deliveryId } }))
}
