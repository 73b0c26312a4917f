/**
 * One entry of a journal: an event with what may be shown of it, no field longer than 1 KB and no entry longer than 8 KB (API-16).
 * What is cut says how long it was, and has the SHA-256 of the whole as it would have been shown.
 */
import { cutText } from '../../core/cut-text.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { journalWord } from '../../core/view/show/journal-word.ts'
import { maskedData, maskedPayload } from '../../core/view/show/masked.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Cut {
  readonly truncated: true
  readonly bytes: number
  readonly sha256: string
}

export interface JournalEntry extends Fields {
  /** The number of the event: without a gap. */
  readonly seq: number
  readonly eventType: string
}

const BEGIN_CHARS = 512

export function journalEntry(record: LogRecord): JournalEntry {
  const payload = maskedPayload(record.eventType, record.payload ?? {})
  const data = maskedData((record.data ?? {}) as Fields)
  const whole = { ...envelope(record), payload, ...(record.data === undefined ? {} : { data }) }
  const entry = {
    ...each(envelope(record), cutField),
    payload: each(payload, cutField),
    ...(record.data === undefined ? {} : { data: each(data, cutField) }),
    seq: record.runSeq,
    eventType: record.eventType,
  }
  return bytesOf(entry) <= LIMITS.journalEntryBytes ? entry : withoutLongest(entry, whole)
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function envelope(record: LogRecord): Fields {
  const state = journalWord(record)
  return {
    seq: record.runSeq,
    eventId: record.eventId,
    eventType: record.eventType,
    ...(state === undefined ? {} : { state }),
    ...(record.stepId === undefined ? {} : { stepId: record.stepId }),
    ...(record.parentStepId === undefined ? {} : { parentStepId: record.parentStepId }),
    ...(record.itemIndex === undefined ? {} : { itemIndex: record.itemIndex }),
    ...(record.role === undefined ? {} : { role: record.role }),
    logicalAttemptId: record.logicalAttemptId,
    engineAttemptId: record.engineAttemptId,
    emittedBy: record.emittedBy,
    emittedAt: record.emittedAt,
    persistedAt: record.persistedAt,
    cause: record.decision.cause,
  }
}

function each(fields: Fields, change: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))
}

function cutField(value: unknown): unknown {
  const bytes = bytesOf(value)
  if (bytes <= LIMITS.journalFieldBytes) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  for (let chars = BEGIN_CHARS; ; chars = Math.floor(chars / 2)) {
    const cut = { ...cutOf(value, bytes), begin: cutText(text, chars) }
    if (chars === 0 || bytesOf(cut) <= LIMITS.journalFieldBytes) return cut
  }
}

function cutOf(whole: unknown, bytes: number): Cut {
  return { truncated: true, bytes, sha256: sha256Hex(canonicalText(whole)) }
}

/** Its longest fields are left out, one after another, and named. */
function withoutLongest(entry: JournalEntry, whole: Fields): JournalEntry {
  const parts = { payload: { ...(entry['payload'] as Fields) }, data: { ...(entry['data'] as Fields | undefined) } }
  const fields = (['payload', 'data'] as const).flatMap((part) =>
    Object.entries(parts[part]).map(([name, value]) => ({ part, name, bytes: bytesOf(value) })),
  )
  const cut = cutOf(whole, bytesOf(whole))
  const leftOut: string[] = []
  for (const { part, name } of fields.toSorted((a, b) => b.bytes - a.bytes)) {
    delete (parts[part] as Record<string, unknown>)[name]
    leftOut.push(`${part}.${name}`)
    const left = { ...entry, ...parts, truncated: { ...cut, leftOut } }
    if (bytesOf(left) <= LIMITS.journalEntryBytes) return left
  }
  return { seq: entry.seq, eventType: entry.eventType, truncated: cut }
}
