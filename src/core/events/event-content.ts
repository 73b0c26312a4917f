/**
 * What "same key, other content" compares on the open append (P-15): event type, slots, payload and data, as exact
 * text. Ids, times, hashes and the place in the log do not count. Callers make it with `eventContent`, stores compare.
 */
import canonicalize from 'canonicalize'

const COMPARED = ['eventType', 'stepId', 'itemIndex', 'role', 'logicalAttemptId', 'payload'] as const

/** Of the record's text and the canonical text of its data; canonical JSON holds no line break, so the two stay apart. */
export function eventContent(record: string, data: string | undefined): string {
  return `${structure(parse(record))}\n${data ?? ''}`
}

/** Where the data was erased, only the rest can be compared. */
export function hasContent(stored: { readonly record: string; readonly data?: string }, content: string): boolean {
  const record = parse(stored.record)
  if (stored.data === undefined && record['dataHash'] !== undefined) return content.startsWith(`${structure(record)}\n`)
  return content === `${structure(record)}\n${stored.data ?? ''}`
}

function parse(record: string): Readonly<Record<string, unknown>> {
  return JSON.parse(record) as Readonly<Record<string, unknown>>
}

function structure(record: Readonly<Record<string, unknown>>): string {
  const known = COMPARED.filter((name) => record[name] !== undefined)
  return canonicalize(Object.fromEntries(known.map((name) => [name, record[name]]))) ?? ''
}
