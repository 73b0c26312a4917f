/** A missing table of the store: its rows cannot be read. */

/** The text of a fault about a missing part of the schema. */
export const MISSING = 'is missing'

export function isTableGone({ kind, where, what }: { kind: string; where: string; what: string }): boolean {
  return kind === 'schema' && where.startsWith('table ') && what === MISSING
}
