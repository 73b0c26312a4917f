/**
 * What "same key, other content" compares on the open append (P-15): event type, slots, payload and data, as exact
 * text. Ids, times, hashes and the position in the log do not count. Callers make it with `eventContent`, stores
 * compare.
 */
import canonicalize from 'canonicalize'
import { upcast, type Fields } from '../compat/upcast.ts'

const COMPARED = ['eventType', 'stepId', 'logicalAttemptId', 'payload'] as const

/**
 * Of the record's text and the canonical text of its data; canonical JSON contains no line break, so the two stay
 * separate.
 */
export function eventContent(record: string, data: string | undefined): string {
  return `${structure(parse(record))}\n${data ?? ''}`
}

/** The step of such a content; empty for an event of the run itself. */
export function stepOfContent(content: string): string {
  const stepId = parse(content.slice(0, content.indexOf('\n')))['stepId']
  return typeof stepId === 'string' ? stepId : ''
}

/** For erased data, only the rest can be compared. */
export function hasContent(stored: { readonly record: string; readonly data?: string }, content: string): boolean {
  const record = parse(stored.record)
  if (stored.data === undefined && record['dataHash'] !== undefined) return content.startsWith(`${structure(record)}\n`)
  return content === `${structure(record)}\n${stored.data ?? ''}`
}

/** In today's shape: an event of an older log is the same event. */
function parse(record: string): Fields {
  return upcast(JSON.parse(record) as Fields)
}

function structure(record: Fields): string {
  const known = COMPARED.filter((name) => record[name] !== undefined)
  return canonicalize(Object.fromEntries(known.map((name) => [name, record[name]]))) ?? ''
}
