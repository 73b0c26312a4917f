/**
 * The published JSON Schema 2020-12 documents of every event, in both shapes, built from the one source of the
 * TypeScript types. The write side is closed and strict; the record side is what readers may rely on: presence and kind
 * of every field, open to additions of later versions (EVT-27).
 */
import { EVENTS, type EmittedBy, type EventType } from './event.ts'
import { DATA_FIELDS, DATA_SHAPES } from './data-fields.ts'
import { PAYLOADS, instant } from './payloads.ts'
import { STEP_SLOT_PATTERN } from './slot.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

const EMITTERS = [
  'engine',
  'planner',
  'activity-worker',
  'system',
  'authorization',
  'admission',
] as const satisfies readonly EmittedBy[]

export const ENVELOPE_TIME: JsonSchema = { ...instant.schema, format: 'date-time' }
const scope: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 }
const keyPart: JsonSchema = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^|]*$' }
const hex64: JsonSchema = { type: 'string', pattern: '^[a-f0-9]{64}$' }
const ordinal: JsonSchema = { type: 'integer', minimum: 1 }

export const UUID_V4 = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'

const stepId: JsonSchema = { type: 'string', pattern: STEP_SLOT_PATTERN }
/** A step of the plan; it may not be `RUN`. */
const parentStepId: JsonSchema = { type: 'string', pattern: '^(?!RUN$)[A-Za-z0-9_.-]{1,128}$' }

const ENVELOPE: Readonly<Record<string, JsonSchema>> = {
  eventId: { type: 'string', pattern: UUID_V4 },
  runId: keyPart,
  idempotencyKey: hex64,
  emittedAt: ENVELOPE_TIME,
  emittedBy: { type: 'string', enum: [...EMITTERS] },
  tenantId: scope,
  projectId: scope,
  environmentId: scope,
  planId: keyPart,
  planVersion: keyPart,
  logicalAttemptId: ordinal,
  engineAttemptId: ordinal,
}
const ENVELOPE_OPTIONAL: Readonly<Record<string, JsonSchema>> = { occurredAt: ENVELOPE_TIME, causedBySignalId: scope }
const STEP: Readonly<Record<string, JsonSchema>> = {
  stepId,
  parentStepId,
  itemIndex: { type: 'integer', minimum: 0, maximum: 999_999 },
  role: { const: 'fallback' },
}
const RECORD: Readonly<Record<string, JsonSchema>> = {
  runSeq: ordinal,
  persistedAt: ENVELOPE_TIME,
  decision: {
    type: 'object',
    properties: { firstSeq: ordinal, cause: { type: 'string', minLength: 1 } },
    required: ['firstSeq', 'cause'],
    additionalProperties: false,
  },
  chainHash: hex64,
}
const RECORD_OPTIONAL: Readonly<Record<string, JsonSchema>> = {
  salt: { type: 'string', pattern: '^[a-f0-9]{32}$' },
  dataHash: hex64,
}

/** Fields that only the append path fills in; a producer that sends one is refused (EVT-09). */
export const RECORD_ONLY: readonly string[] = [...Object.keys(RECORD), ...Object.keys(RECORD_OPTIONAL)]

export function payloadSchema(type: EventType): JsonSchema {
  return withFormats(PAYLOADS[type].schema)
}

/** Undefined for an event without erasable data. */
export function dataSchema(type: EventType): JsonSchema | undefined {
  const names = DATA_FIELDS[type]
  if (names.length === 0) return undefined
  const properties = Object.fromEntries(names.map((name) => [name, DATA_SHAPES[name].schema]))
  return { type: 'object', properties, required: [], additionalProperties: false }
}

/** What a producer must send. */
export function writeSchema(type: EventType): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:keelson:event:${type}:write:v1`,
    title: `${type} (write)`,
    ...body(type, ENVELOPE, ENVELOPE_OPTIONAL),
  }
}

/** What a reader may rely on. */
export function recordSchema(type: EventType): JsonSchema {
  const full = body(type, { ...ENVELOPE, ...RECORD }, { ...ENVELOPE_OPTIONAL, ...RECORD_OPTIONAL })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:keelson:event:${type}:record:v1`,
    title: `${type} (record)`,
    ...opened(full),
  }
}

/** The envelope alone, for events of a type this version does not know. */
export function foreignRecordSchema(): JsonSchema {
  const properties = { eventType: scope, ...ENVELOPE, ...RECORD, ...ENVELOPE_OPTIONAL, ...RECORD_OPTIONAL, ...STEP }
  const anyObject = { type: 'object', additionalProperties: {} }
  return opened({
    type: 'object',
    properties: { ...properties, payload: anyObject, data: anyObject },
    required: ['eventType', ...Object.keys(ENVELOPE), ...Object.keys(RECORD)],
  })
}

function body(
  type: EventType,
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { level } = EVENTS[type]
  const payload = payloadSchema(type)
  const data = dataSchema(type)
  return {
    type: 'object',
    properties: {
      eventType: { const: type },
      ...required,
      ...(level === 'run' ? {} : STEP),
      ...optional,
      payload,
      ...(data === undefined ? {} : { data }),
    },
    required: [
      'eventType',
      ...Object.keys(required),
      ...(level === 'step' ? ['stepId'] : []),
      ...(isRequired(payload) ? ['payload'] : []),
    ],
    ...(level === 'step' ? { dependentRequired: { itemIndex: ['parentStepId'], role: ['parentStepId'] } } : {}),
    additionalProperties: false,
  }
}

/** A payload without a required field may be left out (EVT-23). */
function isRequired(payload: JsonSchema): boolean {
  return Array.isArray(payload['required']) && payload['required'].length > 0
}

function withFormats(schema: JsonSchema): JsonSchema {
  return schema === instant.schema ? ENVELOPE_TIME : mapNested(schema, withFormats)
}

const CLOSING: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'maxItems',
])

/**
 * Keeps types, times and required names, and drops limits that a later version may widen. eventType itself stays fixed.
 */
function opened(schema: JsonSchema): JsonSchema {
  const nested = mapNested(schema, opened)
  const kept = Object.entries(nested).filter(
    ([name, value]) => !CLOSING.has(name) && !(name === 'additionalProperties' && value === false),
  )
  const value = schema['const']
  if (isEventConst(value)) return { const: value }
  return { ...(value === undefined ? {} : { type: typeof value }), ...Object.fromEntries(kept) }
}

function isEventConst(value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(EVENTS, value)
}

function mapNested(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const out: Record<string, unknown> = { ...schema }
  if (isObject(schema['properties'])) {
    const fields = Object.entries(schema['properties'])
    out['properties'] = Object.fromEntries(
      fields.map(([name, field]) => [name, isObject(field) ? change(field) : field]),
    )
  }
  for (const name of ['items', 'additionalProperties']) {
    if (isObject(schema[name])) out[name] = change(schema[name])
  }
  return out
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
