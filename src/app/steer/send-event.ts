/**
 * Sends an event to a tenant (P-54): checked, kept, and put into the inbox of every run that waits for its name and key, in one
 * transaction; then the drivers of those runs are woken. A repeat finds the first.
 */
import { EVENT_NAME } from '../../core/events/sent-event.ts'
import { LIMITS } from '../../core/limits.ts'
import { inlineSecretName } from '../../core/plan/format/inline-secrets.ts'
import { fail } from '../../core/problems/problem.ts'
import type { EngineHost } from '../../ports/engine.ts'
import { canonicalText } from '../log/canonical.ts'
import { mustBeRecordable } from '../log/recordable.ts'
import type { Services } from '../services.ts'

export interface EventRequest {
  /** As waiting steps name it: `order.paid`. */
  readonly name: string
  /** The key of the waiting steps that it is for; left out: steps that wait without a key. */
  readonly key?: string
  /** Any JSON: the output of the step that waited for it. Default null. */
  readonly data?: unknown
  /** The same id sends one event while that is kept. Default: a new UUID. */
  readonly id?: string
  /** How long it is kept for steps that wait for it later. Default 7 days. */
  readonly ttlMs?: number
}

export interface EventAnswer {
  /** `repeat`: it had been sent before. */
  readonly kind: 'sent' | 'repeat'
  readonly id: string
  /** Epoch milliseconds until which it is kept. */
  readonly expiresAt: number
  /** How many runs waited for it. A step that waits for it later finds it too. */
  readonly waiting: number
}

export interface SendingParts {
  readonly services: Pick<Services, 'store' | 'random'>
  readonly engine: Pick<EngineHost, 'wake'>
}

export async function sendEvent(
  { services, engine }: SendingParts,
  tenantId: string,
  request: EventRequest,
): Promise<EventAnswer> {
  const { name, key = '', data = null, id = services.random.uuid(), ttlMs = LIMITS.eventTtlMs } = request
  mustBeNamed(name, key, id)
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1 || ttlMs > LIMITS.eventTtlMsMax)
    invalid(`its time to live must be from 1 to ${LIMITS.eventTtlMsMax} ms`)
  const answer = await services.store.sendEvent({ tenantId, eventId: id, name, key, data: textOf(data), ttlMs })
  switch (answer.kind) {
    case 'conflict':
      return fail('EVENT_DUPLICATE', `another event was already sent under the id ${id}`)
    case 'full':
      return fail('EVENTS_FULL', fullText(answer.of, name, key))
    case 'duplicate':
      return { kind: 'repeat', id, expiresAt: answer.expiresAt, waiting: 0 }
    case 'sent':
      for (const runKey of answer.runs) engine.wake(runKey)
      return { kind: 'sent', id, expiresAt: answer.expiresAt, waiting: answer.runs.length }
  }
}

function mustBeNamed(name: unknown, key: unknown, id: unknown): void {
  if (typeof name !== 'string' || !EVENT_NAME.test(name))
    invalid(`its name must have 1 to ${LIMITS.nameBytes} letters, digits and '_', '.', ':', '/', '-'`)
  if (typeof key !== 'string' || !isPlainText(key, LIMITS.eventKeyBytes))
    invalid(`its key must be a text of at most ${LIMITS.eventKeyBytes} bytes`)
  if (typeof id !== 'string' || id === '' || !isPlainText(id, LIMITS.eventIdBytes))
    invalid(`its id must be a text of 1 to ${LIMITS.eventIdBytes} bytes`)
}

function isPlainText(text: string, most: number): boolean {
  return Buffer.byteLength(text) <= most && !text.includes('\0') && text.isWellFormed()
}

function textOf(data: unknown): string {
  mustBeRecordable(data, 'EVENT_INVALID', 'the data')
  const text = canonicalText(data)
  const bytes = Buffer.byteLength(text)
  if (bytes > LIMITS.eventBytes) invalid(`its data has ${bytes} bytes; at most ${LIMITS.eventBytes} are allowed`)
  // The data becomes the output of a step and enters the log: a secret in plain text must not (P-24).
  const secret = inlineSecretName(data)
  if (secret !== undefined) invalid(`'${secret}' must not be sent in plain text; refer to it: secret://path`)
  return text
}

function fullText(of: 'tenant' | 'key', name: string, key: string): string {
  if (of === 'tenant') return `${LIMITS.eventsPerTenant} events are kept; no more are taken until some have expired`
  const which = key === '' ? `${name} without a key` : `${name} with the key ${key}`
  return `${LIMITS.eventsPerKey} events ${which} are kept; no more are taken until some have expired`
}

function invalid(message: string): never {
  return fail('EVENT_INVALID', `the event cannot be sent: ${message}`)
}
