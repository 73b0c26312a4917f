/**
 * The place where an old event's shape becomes today's, on read only: stored bytes never change (P-33). Version 1 is
 * today's, so the table is empty; a new shape brings its row here and a golden history of the old one.
 */
export type Fields = Readonly<Record<string, unknown>>

/** By event type; each takes every earlier shape of its type to today's, and today's as it is. */
export type Upcasters = Readonly<Record<string, (record: Fields) => Fields>>

const UPCASTERS: Upcasters = {}

export function upcast(record: Fields, upcasters: Upcasters = UPCASTERS): Fields {
  const type = record['eventType']
  if (typeof type !== 'string' || !Object.hasOwn(upcasters, type)) return record
  return upcasters[type]?.(record) ?? record
}
