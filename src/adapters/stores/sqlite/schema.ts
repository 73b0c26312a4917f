/**
 * Compares the schema of a file with what our own migrations make: tables, indexes and above all the triggers that
 * protect the log from changes. Reports what is missing, different or foreign; nothing is changed.
 */
import { DatabaseSync } from 'node:sqlite'
import { MISSING } from '../../../core/schema/missing-table.ts'
import type { StoreFault } from '../../../ports/evidence.ts'
import { migrateTo } from './migrate.ts'
import { text } from './run-row.ts'

/** Objects that SQLite creates by itself, or for `ANALYZE`. */
const OWN = `name LIKE 'sqlite\\_%' ESCAPE '\\'`
const OBJECTS = `SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_schema WHERE NOT (${OWN})`

interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string
}

/** A file of an earlier version is compared with the migrations up to that version. */
export function schemaFaults(db: DatabaseSync): readonly StoreFault[] {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  const found = objectsOf(db)
  const expected = expectedAt(version)
  const faults: StoreFault[] = []
  for (const [name, one] of expected) {
    const there = found.get(name)
    if (there === undefined) faults.push(fault(one, MISSING))
    else if (there.sql !== one.sql || there.table !== one.table) faults.push(fault(one, 'was altered'))
  }
  for (const [name, one] of found) if (!expected.has(name)) faults.push(fault(one, "is not Keelson's"))
  return faults
}

function fault({ type, name, table }: SchemaObject, what: string): StoreFault {
  const where = type === 'trigger' || type === 'index' ? `${type} ${name} on ${table}` : `${type} ${name}`
  return { kind: 'schema', where, what }
}

const known = new Map<number, ReadonlyMap<string, SchemaObject>>()

function expectedAt(version: number): ReadonlyMap<string, SchemaObject> {
  const made = known.get(version)
  if (made !== undefined) return made
  const db = new DatabaseSync(':memory:')
  try {
    migrateTo(db, version)
    const objects = objectsOf(db)
    known.set(version, objects)
    return objects
  } finally {
    db.close()
  }
}

function objectsOf(db: DatabaseSync): ReadonlyMap<string, SchemaObject> {
  const rows = db.prepare(OBJECTS).all()
  return new Map(
    rows.map((row) => {
      const one = {
        type: text(row, 'type'),
        name: text(row, 'name'),
        table: text(row, 'tbl_name'),
        sql: text(row, 'sql'),
      }
      return [`${one.type} ${one.name}`, { ...one, sql: one.sql.replaceAll(/\s+/g, ' ').trim() }] as const
    }),
  )
}
