/**
 * Compares the decider's drafts with the record, field by field, and names the first place that differs. Values of data
 * are never shown: they may be personal.
 */
import type { LogRecord } from '../../core/events/event.ts'
import type { Draft } from '../../core/run/draft.ts'
import { canonicalText } from '../log/canonical.ts'
import { recordedSlot } from './recorded-decision.ts'
import { isErased } from '../log/erased-data.ts'

export interface Unlike {
  readonly expected: string
  readonly found: string
}

/** Undefined when the record matches the draft. Erased data cannot be compared and is skipped. */
export function unlike(draft: Draft, record: LogRecord): Unlike | undefined {
  const name = draftName(draft)
  if (name !== recordName(record)) return { expected: name, found: recordName(record) }
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['engineAttemptId', draft.engineAttempt ?? 1, record.engineAttemptId],
    ['causedBySignalId', draft.causedBySignalId, record.causedBySignalId],
    ['payload', draft.payload, record.payload],
  ]
  for (const [field, wanted, given] of pairs) {
    const at = difference(wanted, given, field)
    if (at !== undefined)
      return {
        expected: `${name} with ${at.path} = ${shown(at.expected)}`,
        found: `${name} with ${at.path} = ${shown(at.found)}`,
      }
  }
  if (isErased(record)) return undefined
  const at = difference(draft.data, record.data, 'data')
  return at === undefined
    ? undefined
    : { expected: `${name} with ${at.path} as decided`, found: `${name} with another ${at.path}` }
}

export function draftName({ eventType, slot, attempt }: Draft): string {
  return `${eventType} ${slot}#${attempt}`
}

export function recordName(record: LogRecord): string {
  return `${record.eventType} ${recordedSlot(record)}#${record.logicalAttemptId}`
}

interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly found: unknown
}

function difference(expected: unknown, found: unknown, path: string): Difference | undefined {
  if (expected === found) return undefined
  if (!isObject(expected) || !isObject(found)) {
    return isObject(expected) === isObject(found) && text(expected) === text(found)
      ? undefined
      : { path, expected, found }
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inner = difference(expected[name], found[name], `${path}.${name}`)
    if (inner !== undefined) return inner
  }
  return undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string {
  return value === undefined ? '' : canonicalText(value)
}

const SHOWN_CHARS = 200

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN_CHARS)
}
