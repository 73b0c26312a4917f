/**
 * Converts writes of the two foreign contracts to ours: the nested form (no eventId, other error names) and the flat
 * form (EVT-12, EVT-33, X-01). It fills in and moves fields, and checks nothing: the result goes through the write
 * schema.
 */
import { EVENTS, isEventType, type ErrorClass, type EventType } from './event.ts'
import { DATA_FIELDS } from './data-fields.ts'
import { PAYLOADS, instant } from './payloads.ts'
import { RECORD_ONLY, writeSchema, type JsonSchema } from './schemas.ts'
import { isoFromMs, msFromIso } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

export interface MapperSources {
  /** A fresh UUID v4. */
  readonly newEventId: () => string
  readonly classify: (error: { readonly code: string; readonly message: string }) => {
    readonly errorClass: ErrorClass
    readonly retryable: boolean
  }
  /** Fields of a RunStarted that a foreign write cannot know, and those that the nested form omits. */
  readonly runStarted: Fields
}

export function mapWrite(given: Fields, sources: MapperSources): Fields {
  const type = given['eventType']
  if (typeof type !== 'string' || !isEventType(type)) return given
  const { root, payload } = nested(given, type)
  const { error, errorText } = errorOf(type, payload, sources)
  const structural = { ...filledPayload(type, root, sources), ...withoutSeedError(payload), ...(error && { error }) }
  const data = { ...(isFields(given['data']) ? given['data'] : {}), ...(errorText && { errorText }) }
  const [kept, moved] = splitData(type, structural)
  const allData = { ...data, ...moved }
  return {
    ...scopeOf(payload),
    logicalAttemptId: 1,
    engineAttemptId: 1,
    eventId: root['eventId'] ?? sources.newEventId(),
    emittedBy: EVENTS[type].emittedBy,
    ...root,
    payload: normalised(kept, PAYLOADS[type].schema),
    ...(Object.keys(allData).length === 0 ? {} : { data: allData }),
  }
}

/** The flat form: fields outside the envelope belong to the payload. */
function nested(given: Fields, type: EventType): { root: Fields; payload: Fields } {
  const known = writeSchema(type)['properties']
  const isEnvelope = (name: string) => (isFields(known) && Object.hasOwn(known, name)) || RECORD_ONLY.includes(name)
  const root: Record<string, unknown> = {}
  const payload: Record<string, unknown> = { ...(isFields(given['payload']) ? given['payload'] : {}) }
  for (const [name, value] of Object.entries(given)) {
    if (name === 'payload' || name === 'data' || value === undefined) continue
    // In the flat form a signal's `decision` is a word of its payload, not the append path's.
    const isOurs = isEnvelope(name) && !(name === 'decision' && typeof value === 'string')
    if (isOurs) root[name] = value
    else payload[name] = value
  }
  for (const name of ['emittedAt', 'occurredAt']) {
    if (root[name] !== undefined) root[name] = utc(root[name])
  }
  root['emittedAt'] ??= root['occurredAt']
  if (root['emittedAt'] === undefined) delete root['emittedAt']
  return { root, payload }
}

/** The flat RunStarted names its scope and plan only in the payload. */
function scopeOf(payload: Fields): Fields {
  const { tenantId, projectId, environmentId } = isFields(payload['context']) ? payload['context'] : {}
  const { planId, planVersion } = isFields(payload['planRef']) ? payload['planRef'] : {}
  const scope = { tenantId, projectId, environmentId, planId, planVersion }
  return Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined))
}

const TIME_FIELD: Readonly<Partial<Record<EventType, string>>> = {
  RunStarted: 'startedAt',
  StepStarted: 'startedAt',
  StepCompleted: 'completedAt',
  StepFailed: 'failedAt',
  StepSkipped: 'skippedAt',
  RunPaused: 'pausedAt',
  RunResumed: 'resumedAt',
  RunCompleted: 'completedAt',
  RunFailed: 'failedAt',
  RunCancelled: 'cancelledAt',
}

const FILLED: Readonly<Partial<Record<EventType, Fields>>> = {
  StepStarted: { epoch: 1 },
  StepCompleted: { artifactRefs: [] },
  RunCompleted: { artifactRefs: [] },
  // The nested form has no schedule of retries: each failure is complete, and the next attempt begins with its own
  // StepStarted.
  StepFailed: { final: true },
  RunCancelled: { cause: 'cancelRun' },
  SignalAccepted: { decision: 'ACCEPTED', applied: true },
  SignalRejected: { decision: 'REJECTED' },
}

function filledPayload(type: EventType, root: Fields, sources: MapperSources): Fields {
  const time = TIME_FIELD[type]
  const at = root['occurredAt'] ?? root['emittedAt']
  return {
    ...FILLED[type],
    ...(type === 'RunStarted' ? sources.runStarted : {}),
    ...(time === undefined || at === undefined ? {} : { [time]: at }),
  }
}

const SEED_ONE_ERROR = ['errorCode', 'errorMessage', 'stack', 'retryable']

function withoutSeedError(payload: Fields): Fields {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !SEED_ONE_ERROR.includes(name)))
}

/** A late outcome has an error only if it failed; the others always have one. */
function failed(type: EventType, payload: Fields): boolean {
  const names: readonly string[] = DATA_FIELDS[type]
  if (!names.includes('errorText')) return false
  return type !== 'LateOutcomeRecorded' || payload['error'] !== undefined || payload['errorCode'] !== undefined
}

/** Either form of an error; its text separate from its structure. */
function errorOf(type: EventType, payload: Fields, sources: MapperSources): { error?: Fields; errorText?: Fields } {
  if (!failed(type, payload)) return {}
  const { message, stackTrace, ...given } = isFields(payload['error']) ? payload['error'] : {}
  const code = given['code'] ?? payload['errorCode'] ?? 'UNKNOWN'
  const text = message ?? payload['errorMessage']
  const stack = stackTrace ?? payload['stack']
  const known = sources.classify({ code: String(code), message: typeof text === 'string' ? text : '' })
  const retryable = given['retryable'] ?? payload['retryable'] ?? known.retryable
  const errorText =
    text === undefined && stack === undefined
      ? undefined
      : { message: text ?? '', ...(stack !== undefined && { stackTrace: stack }) }
  return { error: { errorClass: known.errorClass, ...given, code, retryable }, ...(errorText && { errorText }) }
}

/** Erasable fields go to `data` (P-32). */
function splitData(type: EventType, payload: Fields): readonly [Fields, Fields] {
  const names: readonly string[] = DATA_FIELDS[type]
  const entries = Object.entries(payload)
  return [
    Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
    Object.fromEntries(entries.filter(([name]) => names.includes(name))),
  ]
}

function normalised(value: Fields, schema: JsonSchema): Fields {
  const known = isFields(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, known[name] === instant.schema ? utc(field) : field]),
  )
}

/** An offset becomes `Z`; text that is not a time stays, and the schema refuses it. */
function utc(value: unknown): unknown {
  if (typeof value !== 'string' || value.endsWith('Z')) return value
  const ms = msFromIso(value)
  return ms === undefined ? value : isoFromMs(ms)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
