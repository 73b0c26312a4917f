/**
 * The place where an old event's shape becomes today's, on read only: stored bytes never change (P-33). Version 1 is
 * today's, so the table is empty; a new shape brings its row here and a golden history of the old one.
 */
export type Fields = Readonly<Record<string, unknown>>

/** By event type; each takes the shape before it to the next. */
const UPCASTERS: Readonly<Record<string, (record: Fields) => Fields>> = {}

export function upcast(record: Fields, upcasters = UPCASTERS): Fields {
  const type = record['eventType']
  if (typeof type !== 'string' || !Object.hasOwn(upcasters, type)) return record
  return upcasters[type]?.(record) ?? record
}
