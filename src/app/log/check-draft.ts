/**
 * What an event must satisfy before it is sealed: its schema, the slot rules of its level, its limits. Checkers and
 * writers are made once per event type, on first use. A failure throws, so that nothing of the batch is stored (EVT-25).
 */
import { EVENTS, isEventType, type Decision, type EventType, type RunIdentity } from '../../core/events/event.ts'
import { isKeySafe } from '../../core/events/event-key.ts'
import type { DataField } from '../../core/events/data-fields.ts'
import { ENVELOPE_TIME, UUID_V4, dataSchema, payloadSchema } from '../../core/events/schemas.ts'
import { innerStepSlot, parseStepSlot, slotNames, stepSlotText } from '../../core/events/slot.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import { checkOf, checkWhenUsed, type Check, type Schema } from '../../core/schema/check.ts'
import { canonicalText } from './canonical.ts'
import type { StepOfRecord } from './record-text.ts'
import { writerOf, type Write } from './schema-writer.ts'

/** Checks and writes in one pass; `check` says what is wrong with a value that the writer does not take. */
interface Part {
  readonly check: Check
  readonly write: Write
}
interface Parts {
  readonly payload: Part
  /** Undefined for an event without data. */
  readonly data: Part | undefined
}
const parts = new Map<EventType, Parts>()

function partsOf(eventType: EventType): Parts {
  const known = parts.get(eventType)
  if (known !== undefined) return known
  if (!isEventType(eventType)) return refuse(`There is no event type ${JSON.stringify(eventType)}.`)
  const data = dataSchema(eventType)
  const made = { payload: partOf(payloadSchema(eventType)), data: data === undefined ? undefined : partOf(data) }
  parts.set(eventType, made)
  return made
}

function partOf(schema: Schema): Part {
  return { check: checkWhenUsed(() => schema), write: writerOf(schema) }
}

/** The canonical texts of what a draft carries. */
export interface ContentText {
  readonly payload: string
  readonly data: string | undefined
}

/** Its payload and its data, each checked and written once. */
export function draftText({ eventType, payload, data }: Draft): ContentText {
  const part = partsOf(eventType)
  const text = {
    payload: textOf(part.payload, payload, eventType, 'payload'),
    data: data === undefined ? undefined : textOfData(part.data, data, eventType),
  }
  checkSizes(eventType, text.payload, data, text.data)
  return text
}

function textOfData(part: Part | undefined, data: unknown, eventType: EventType): string {
  return part === undefined
    ? refuse(`${eventType}: data is not a field of this event.`)
    : textOf(part, data, eventType, 'data')
}

function textOf({ check, write }: Part, value: unknown, eventType: EventType, name: string): string {
  const text = written(write, value)
  if (text !== undefined) return text
  const wrong = check(value)
  return wrong === undefined ? canonicalText(value) : refuse(`${eventType}: ${name}${wrong}.`)
}

/** What cannot be written is said by the general way, which looks at all of the value before it writes any of it. */
function written(write: Write, value: unknown): string | undefined {
  try {
    return write(value)
  } catch {
    return undefined
  }
}

/** The step of a draft, as its level requires. */
export function checkDraft(draft: Draft): StepOfRecord | undefined {
  const { eventType, attempt, engineAttempt } = draft
  checkNumber(eventType, 'attempt', attempt)
  if (engineAttempt !== undefined) checkNumber(eventType, 'engineAttempt', engineAttempt)
  return checkSlot(draft)
}

function checkSlot({ eventType, slot, payload }: Draft): StepOfRecord | undefined {
  if (!isKeySafe(slot)) return refuse(`${eventType}: its slot ${JSON.stringify(slot)} is empty or holds a bar.`)
  const { level, canonical } = EVENTS[eventType]
  if (!canonical) {
    checkAbout(eventType, slot, (payload as { readonly stepId?: string }).stepId)
    return undefined
  }
  const step = parseStepSlot(slot)
  if (level === 'run') {
    return step === undefined ? undefined : refuse(`${eventType}: a run's event has no stepId, got ${slot}.`)
  }
  if (step === undefined) {
    return refuse(`${eventType}: stepId is missing; the slot ${JSON.stringify(slot)} names no step.`)
  }
  return slotNames(step)
}

/** The key and the payload of an extension name the same step. */
function checkAbout(eventType: EventType, slot: string, named: string | undefined): void {
  const about = innerStepSlot(slot)
  const text = about === undefined ? undefined : stepSlotText(about)
  if (text !== named) refuse(`${eventType}: payload.stepId is ${named ?? 'missing'}, its slot is ${slot}.`)
}

function checkNumber(eventType: EventType, name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) refuse(`${eventType}: ${name} must be a whole number from 1 up.`)
}

/** Key parts are not empty and contain no bar (IDM-07); the rest of the scope is not empty. */
export function checkIdentity(identity: RunIdentity): void {
  for (const name of ['runId', 'planId', 'planVersion'] as const) {
    if (!isKeySafe(identity[name])) refuse(`${name} ${JSON.stringify(identity[name])} is empty or holds a bar.`)
  }
  for (const name of ['tenantId', 'projectId', 'environmentId'] as const) {
    if (identity[name] === '') refuse(`${name} is empty.`)
  }
}

const EVENT_ID = new RegExp(UUID_V4)

/** Fields that the append path itself fills in; a wrong value here is our own defect, and still stores nothing. */
export function checkEnvelope(event: {
  readonly eventId: string
  readonly decision: Decision
  readonly causedBySignalId?: string | undefined
}): void {
  if (!EVENT_ID.test(event.eventId)) refuse(`eventId ${JSON.stringify(event.eventId)} is not a UUID v4.`)
  if (!Number.isSafeInteger(event.decision.firstSeq) || event.decision.firstSeq < 1 || event.decision.cause === '') {
    refuse('decision needs a firstSeq from 1 up and a cause.')
  }
  if (event.causedBySignalId === '') refuse('causedBySignalId is empty.')
}

const timeCheck = checkOf(ENVELOPE_TIME)

/** One time for all events of an append. */
export function checkTime(emittedAt: string): void {
  if (timeCheck(emittedAt) !== undefined) refuse(`emittedAt ${JSON.stringify(emittedAt)} is not a UTC time.`)
}

/** A control character takes six bytes of JSON; no character takes more. */
const JSON_PER_CHAR = 6

export const DATA_BYTES: Readonly<Record<DataField, number>> = {
  input: LIMITS.inlinePayloadBytes,
  result: LIMITS.inlinePayloadBytes,
  output: LIMITS.inlinePayloadBytes,
  captureValues: LIMITS.inlinePayloadBytes,
  errorText: JSON_PER_CHAR * 2 * LIMITS.errorTextBytes + 1024,
  facts: LIMITS.factsBytes,
  notes: JSON_PER_CHAR * LIMITS.notesChars + 1024,
  signalPayload: LIMITS.signalBytes,
}

/** Sizes of the canonical text. Single fields are serialised only when the whole `data` exceeds the smallest limit. */
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
