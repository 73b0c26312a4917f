/**
 * An event as it must be on every engine: without ids, times, numbers of the log and the engine's own names (ADP-04).
 * It stays visible that a time is present; its value does not.
 */
import type { LogRecord } from '../events/event.ts'
import { slotOf } from '../events/slot-of.ts'
import type { Json } from '../plan/plan.ts'

export interface CanonicalEvent {
  readonly eventType: string
  readonly slot: string
  readonly attempt: number
  readonly causedBy?: string
  readonly payload: Json
  readonly data?: Json
}

/** Names for the ids of a play: runs and signals, in order of creation. */
export type Names = ReadonlyMap<string, string>

const TIME = '<time>'
const ID = '<id>'
/** Numbers of one log, and what an engine says of itself. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'engineRunRef',
  'engineType',
  'targetAdapter',
  'adapterVersion',
  'adapterCapabilities',
  'engineAttemptId',
  'epoch',
  'maxInFlight',
  'runSeq',
  'atSeq',
  'durationMs',
  'buildId',
])
const IDS: ReadonlySet<string> = new Set([
  'policyDecisionId',
  'signalId',
  'runId',
  'ownerRunId',
  'originalRunId',
  'compensationOf',
  'newRunId',
  'correlationId',
])
const INSTANTS: ReadonlySet<string> = new Set(['waitUntil', 'graceUntil', 'notBefore'])

export function canonicalEvent(record: LogRecord, names: Names): CanonicalEvent {
  const { eventType, logicalAttemptId: attempt, causedBySignalId, payload = {}, data } = record
  const causedBy = causedBySignalId === undefined ? undefined : (names.get(causedBySignalId) ?? ID)
  return {
    eventType,
    slot: canonicalSlot(record, names),
    attempt,
    ...(causedBy === undefined ? {} : { causedBy }),
    payload: withoutOwn(eventType === 'RunApproved' ? withoutForStart(payload) : (payload as Json), names),
    ...(data === undefined ? {} : { data: canonicalData(data, names) }),
  }
}

/** What an admission keeps for a start by another actor; the start itself says it on every engine. */
function withoutForStart(payload: Readonly<Record<string, unknown>>): Json {
  const {
    correlationId: _id,
    triggerSource: _source,
    triggeredBy: _who,
    children: _plans,
    origin: _origin,
    rulesVersion: _rulesVersion,
    ...rest
  } = payload
  return rest as Json
}

/** An alert's slot holds a number of the log, a signal's and a fork's an id. */
function canonicalSlot(record: LogRecord, names: Names): string {
  const slot = slotOf(record, 0) ?? record.eventType
  return renamed(slot, names)
}

function withoutOwn(value: Json, names: Names): Json {
  if (typeof value === 'string') return renamed(value, names)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((item) => withoutOwn(item, names))
  const kept: Record<string, Json> = {}
  for (const [name, field] of Object.entries(value)) {
    if (LEFT_OUT.has(name)) continue
    if (name.endsWith('At') || INSTANTS.has(name)) kept[name] = TIME
    else if (IDS.has(name)) kept[name] = typeof field === 'string' ? (names.get(field) ?? ID) : field
    else kept[name] = withoutOwn(field, names)
  }
  return kept
}

/**
 * Values from people and handlers stay unchanged, except ids of the play in texts and the code position of an error.
 */
function canonicalData(data: Readonly<Record<string, unknown>>, names: Names): Json {
  const { errorText, ...rest } = data as { readonly [name: string]: Json }
  const kept = replaced(rest, names) as { readonly [name: string]: Json }
  if (typeof errorText !== 'object' || errorText === null || isList(errorText)) return kept
  const { stackTrace: _where, ...told } = errorText as { readonly [name: string]: Json }
  return { ...kept, errorText: replaced(told, names) }
}

function replaced(value: Json, names: Names): Json {
  if (typeof value === 'string') return renamed(value, names)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map((item) => replaced(item, names))
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replaced(field, names)]))
}

function renamed(text: string, names: Names): string {
  let told = text
  for (const [id, name] of names) if (told.includes(id)) told = told.replaceAll(id, name)
  return told
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
