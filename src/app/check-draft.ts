/**
 * What an event must fulfil before it is sealed: its schema, its level's slot rules, its limits. Checkers are made
 * once per event type, on first use. A failure throws, so that nothing of the batch is stored (EVT-25).
 */
import { EVENTS, isEventType, type Decision, type EventType, type RunIdentity } from '../core/events/event.ts'
import { isKeySafe } from '../core/events/idempotency-key.ts'
import type { DataField } from '../core/events/payloads.ts'
import { ENVELOPE_TIME, UUID_V4, dataSchema, payloadSchema } from '../core/events/schemas.ts'
import { innerStepSlot, type StepSlot } from '../core/events/slot.ts'
import { LIMITS } from '../core/limits.ts'
import { fail } from '../core/problems/problem.ts'
import type { Draft } from '../core/run/draft.ts'
import { checkOf, type Check } from '../core/schema/check.ts'
import { canonicalText } from './canonical.ts'

interface Checks {
  readonly payload: Check
  /** Undefined for an event that carries no data. */
  readonly data: Check | undefined
}
const checks = new Map<EventType, Checks>()

function checksOf(eventType: EventType): Checks {
  const known = checks.get(eventType)
  if (known !== undefined) return known
  const data = dataSchema(eventType)
  const made = { payload: checkOf(payloadSchema(eventType)), data: data === undefined ? undefined : checkOf(data) }
  checks.set(eventType, made)
  return made
}

/** The step a draft is about, as its level asks. */
export function checkDraft(draft: Draft): StepSlot | undefined {
  const { eventType, slot } = draft
  if (!isEventType(eventType)) return refuse(`There is no event type ${JSON.stringify(eventType)}.`)
  const check = checksOf(eventType)
  const wrong = check.payload(draft.payload)
  if (wrong !== undefined) return refuse(`${eventType}: payload${wrong}.`)
  if (draft.data !== undefined) {
    const bad = check.data === undefined ? ' is not a field of this event' : check.data(draft.data)
    if (bad !== undefined) return refuse(`${eventType}: data${bad}.`)
  }
  checkNumber(eventType, 'attempt', draft.attempt)
  if (draft.engineAttempt !== undefined) checkNumber(eventType, 'engineAttempt', draft.engineAttempt)
  return checkSlot(eventType, slot)
}

function checkSlot(eventType: EventType, slot: string): StepSlot | undefined {
  if (!isKeySafe(slot)) return refuse(`${eventType}: its slot ${JSON.stringify(slot)} is empty or holds a bar.`)
  const step = innerStepSlot(slot)
  const { level } = EVENTS[eventType]
  if (level === 'step' && step === undefined) {
    return refuse(`${eventType}: stepId is missing; the slot ${JSON.stringify(slot)} names no step.`)
  }
  if (level === 'run' && step !== undefined) return refuse(`${eventType}: a run's event has no stepId, got ${slot}.`)
  return step
}

function checkNumber(eventType: EventType, name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) refuse(`${eventType}: ${name} must be a whole number from 1 up.`)
}

/** Key parts without a bar and not empty (IDM-07); the rest of the scope not empty. */
export function checkIdentity(identity: RunIdentity): void {
  for (const name of ['runId', 'planId', 'planVersion'] as const) {
    if (!isKeySafe(identity[name])) refuse(`${name} ${JSON.stringify(identity[name])} is empty or holds a bar.`)
  }
  for (const name of ['tenantId', 'projectId', 'environmentId'] as const) {
    if (identity[name] === '') refuse(`${name} is empty.`)
  }
}

const EVENT_ID = new RegExp(UUID_V4)

/** What the append path itself fills in; a wrong value here is our own defect, and still stores nothing. */
export function checkEnvelope(event: {
  readonly eventId: string
  readonly emittedAt: string
  readonly decision: Decision
  readonly causedBySignalId?: string | undefined
}): void {
  if (!EVENT_ID.test(event.eventId)) refuse(`eventId ${JSON.stringify(event.eventId)} is not a UUID v4.`)
  if (!emittedAtFits(event.emittedAt)) refuse(`emittedAt ${JSON.stringify(event.emittedAt)} is not a UTC time.`)
  if (!Number.isSafeInteger(event.decision.firstSeq) || event.decision.firstSeq < 1 || event.decision.cause === '') {
    refuse('decision needs a firstSeq from 1 up and a cause.')
  }
  if (event.causedBySignalId === '') refuse('causedBySignalId is empty.')
}

const timeCheck = checkOf(ENVELOPE_TIME)
const emittedAtFits = (text: string): boolean => timeCheck(text) === undefined

const DATA_BYTES: Readonly<Record<DataField, number>> = {
  input: LIMITS.inlinePayloadBytes,
  result: LIMITS.inlinePayloadBytes,
  output: LIMITS.inlinePayloadBytes,
  captureValues: LIMITS.inlinePayloadBytes,
  errorText: 2 * LIMITS.errorTextBytes * 4,
  facts: LIMITS.factsBytes,
  notes: LIMITS.errorTextBytes * 4,
  signalPayload: LIMITS.signalBytes,
}

/** Sizes of the canonical text. A field is written alone only when all of `data` exceeds the smallest limit. */
export function checkSizes(
  eventType: EventType,
  payload: string,
  data: Readonly<Record<string, unknown>> | undefined,
  dataText: string | undefined,
): void {
  if (exceeds(payload, LIMITS.inlinePayloadBytes)) {
    fail('PAYLOAD_TOO_LARGE', `${eventType}: its payload is larger than ${LIMITS.inlinePayloadBytes} bytes.`)
  }
  if (data === undefined || dataText === undefined || !exceeds(dataText, LIMITS.factsBytes)) return
  for (const [name, limit] of Object.entries(DATA_BYTES)) {
    if (data[name] === undefined || !exceeds(canonicalText(data[name]), limit)) continue
    const code = name === 'facts' ? 'DECISION_DATA_TOO_LARGE' : 'PAYLOAD_TOO_LARGE'
    fail(code, `${eventType}: data.${name} is larger than ${limit} bytes.`)
  }
}

function exceeds(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes)
}

function refuse(message: string): never {
  return fail('SCHEMA_VALIDATION_FAILED', message)
}
