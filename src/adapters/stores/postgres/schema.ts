/**
 * Compares the schema of a database with our own migrations: tables, indexes, functions and above all the triggers that
 * protect the log from changes. A server keeps the text of functions and triggers as given, so both can be compared;
 * what is missing, different, disabled, foreign or has another owner is reported. Nothing is changed.
 */
import { readFileSync } from 'node:fs'
import { MISSING } from '../../../core/schema/missing-table.ts'
import type { StoreFault } from '../../../ports/evidence.ts'
import { MIGRATIONS } from './migrate.ts'
import { rowSecurityFaults } from './row-security.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

const TABLES = `SELECT c.relname AS name, c.relkind AS kind, c.relowner <> n.nspowner AS foreign_owner
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'keelson' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`
const FUNCTIONS = `SELECT p.proname AS name, p.prosrc AS body, p.pronargs AS arguments, p.prosecdef AS definer,
    p.proowner <> n.nspowner AS foreign_owner
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'keelson'`
const TRIGGERS = `SELECT t.tgname AS name, c.relname AS table, t.tgenabled AS enabled, pg_get_triggerdef(t.oid) AS definition
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'keelson' AND NOT t.tgisinternal`
const INDEXES = `SELECT c.relname AS name, t.relname AS table, i.indisunique AS is_unique, i.indisvalid AS valid,
    pg_get_expr(i.indpred, i.indrelid) IS NOT NULL AS part
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = 'keelson'`
const RULES = `SELECT r.rulename AS name, r.tablename AS table FROM pg_rules r WHERE r.schemaname = 'keelson'`

interface Expected {
  readonly tables: ReadonlySet<string>
  /** The last body given for each name and number of arguments. */
  readonly functions: ReadonlyMap<string, { readonly body: string; readonly definer: boolean }>
  readonly triggers: ReadonlyMap<string, { readonly definition: string; readonly enabled: string }>
  /** Named indexes only: the index of an unnamed key is found by what it guards. */
  readonly indexes: ReadonlyMap<string, { readonly table: string; readonly isUnique: boolean; readonly part: boolean }>
}

export async function schemaFaults(session: Session): Promise<readonly StoreFault[]> {
  const expected = expectedSchema(MIGRATIONS.map(sqlOf))
  const rules = await session.query(RULES)
  return [
    ...(await tableFaults(session, expected)),
    ...(await functionFaults(session, expected)),
    ...(await triggerFaults(session, expected)),
    ...(await indexFaults(session, expected)),
    ...(await rowSecurityFaults(session)),
    ...rules.map((row) => fault(`rule ${text(row, 'name')} on ${text(row, 'table')}`, FOREIGN)),
  ]
}

const FOREIGN = "is not Keelson's"

function fault(where: string, what: string): StoreFault {
  return { kind: 'schema', where, what }
}

async function tableFaults(session: Session, { tables }: Expected): Promise<readonly StoreFault[]> {
  const rows = await session.query(TABLES)
  const found = new Set(
    rows.filter((row) => row['kind'] === 'r' || row['kind'] === 'p').map((row) => text(row, 'name')),
  )
  return [
    ...[...tables].filter((name) => !found.has(name)).map((name) => fault(`table ${name}`, MISSING)),
    ...rows.flatMap((row) => {
      const name = text(row, 'name')
      if (!found.has(name)) return [fault(`view ${name}`, FOREIGN)]
      if (!tables.has(name)) return [fault(`table ${name}`, FOREIGN)]
      return row['foreign_owner'] === true ? [fault(`table ${name}`, OWNER)] : []
    }),
  ]
}

const OWNER = 'does not belong to the owner of the schema'

async function functionFaults(session: Session, { functions }: Expected): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = []
  const found = new Set<string>()
  for (const row of await session.query(FUNCTIONS)) {
    const key = `${text(row, 'name')}/${Number(row['arguments'])}`
    found.add(key)
    const ours = functions.get(key)
    const where = `function ${text(row, 'name')}`
    if (ours === undefined) faults.push(fault(where, FOREIGN))
    else if (ours.body !== text(row, 'body') || ours.definer !== row['definer'])
      faults.push(fault(where, 'was altered'))
    else if (row['foreign_owner'] === true) faults.push(fault(where, OWNER))
  }
  const missing = [...functions.keys()].filter((key) => !found.has(key))
  return [...faults, ...missing.map((key) => fault(`function ${key.split('/')[0] ?? key}`, MISSING))]
}

async function triggerFaults(session: Session, { triggers }: Expected): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = []
  const found = new Set<string>()
  for (const row of await session.query(TRIGGERS)) {
    const key = `${text(row, 'name')} on ${text(row, 'table')}`
    found.add(key)
    const ours = triggers.get(key)
    if (ours === undefined) faults.push(fault(`trigger ${key}`, FOREIGN))
    else if (ours.definition !== text(row, 'definition')) faults.push(fault(`trigger ${key}`, 'was altered'))
    else if (ours.enabled !== row['enabled']) faults.push(fault(`trigger ${key}`, 'is switched off'))
  }
  const missing = [...triggers.keys()].filter((key) => !found.has(key))
  return [...faults, ...missing.map((key) => fault(`trigger ${key}`, MISSING))]
}

/** Without a unique index two rows could be the same. Indexes that users add are their own. */
async function indexFaults(session: Session, { indexes }: Expected): Promise<readonly StoreFault[]> {
  const found = new Map((await session.query(INDEXES)).map((row) => [text(row, 'name'), row]))
  return [...indexes].flatMap(([name, { table, isUnique, part }]) => {
    const row = found.get(name)
    if (row === undefined) return [fault(`index ${name}`, MISSING)]
    const isOurs =
      row['table'] === table && row['is_unique'] === isUnique && row['part'] === part && row['valid'] === true
    return isOurs ? [] : [fault(`index ${name}`, 'was altered')]
  })
}

function sqlOf(name: string): string {
  return readFileSync(new URL(`./sql/${name}`, import.meta.url), 'utf8')
}

const TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?keelson\.(\w+)/gm
const DROPPED_TABLE = /^DROP TABLE (?:IF EXISTS )?keelson\.(\w+)/gm
const FUNCTION =
  /^CREATE (?:OR REPLACE )?FUNCTION keelson\.(\w+)\(((?:[^()]|\([^()]*\))*)\)([^$']*?)\bAS\s+(?:\$\$(.*?)\$\$|'((?:[^']|'')*)')/gms
const DROPPED_FUNCTION = /^DROP FUNCTION (?:IF EXISTS )?keelson\.(\w+)(?:\(([^)]*)\))?/gm
const TRIGGER = /^CREATE TRIGGER (\w+) ([^;]*?) ON keelson\.(\w+)\s+([^;]*?);/gm
const DROPPED_TRIGGER = /^DROP TRIGGER (?:IF EXISTS )?(\w+) ON keelson\.(\w+)/gm
const ALWAYS = /^ALTER TABLE keelson\.(\w+) ENABLE ALWAYS TRIGGER (\w+)/gm

const INDEX = /^CREATE (UNIQUE )?INDEX (\w+)\s+ON keelson\.(\w+)([^;]*);/gm
const DROPPED_INDEX = /^DROP INDEX keelson\.(\w+)/gm

/** The schema that the scripts, run in order, produce. */
function expectedSchema(scripts: readonly string[]): Expected {
  const tables = new Set(['migrations'])
  const functions = new Map<string, { readonly body: string; readonly definer: boolean }>()
  const triggers = new Map<string, { readonly definition: string; readonly enabled: string }>()
  const indexes = new Map<string, { readonly table: string; readonly isUnique: boolean; readonly part: boolean }>()
  for (const sql of scripts) {
    for (const [, name = ''] of sql.matchAll(DROPPED_INDEX)) indexes.delete(name)
    for (const [, unique, name = '', table = '', rest = ''] of sql.matchAll(INDEX))
      indexes.set(name, { table, isUnique: unique !== undefined, part: /\bWHERE\b/.test(rest) })
    for (const [, name = ''] of sql.matchAll(DROPPED_TABLE)) tables.delete(name)
    for (const [, name = ''] of sql.matchAll(TABLE)) tables.add(name)
    for (const [, name = '', args] of sql.matchAll(DROPPED_FUNCTION)) forget(functions, name, args)
    for (const [, name = '', args = '', traits = '', long, short] of sql.matchAll(FUNCTION)) {
      const body = long ?? short?.replaceAll("''", "'") ?? ''
      functions.set(`${name}/${inputs(args)}`, { body, definer: /SECURITY DEFINER/.test(traits) })
    }
    for (const [, name = '', table = ''] of sql.matchAll(DROPPED_TRIGGER)) triggers.delete(`${name} on ${table}`)
    for (const [, name = '', when = '', table = '', rest = ''] of sql.matchAll(TRIGGER)) {
      const definition = `CREATE TRIGGER ${name} ${when} ON keelson.${table} ${rest}`.replaceAll(/\s+/g, ' ')
      triggers.set(`${name} on ${table}`, { definition, enabled: 'O' })
    }
    for (const [, table = '', name = ''] of sql.matchAll(ALWAYS)) {
      const known = triggers.get(`${name} on ${table}`)
      if (known !== undefined) triggers.set(`${name} on ${table}`, { ...known, enabled: 'A' })
    }
  }
  return { tables, functions, triggers, indexes }
}

function forget(functions: Map<string, unknown>, name: string, args: string | undefined): void {
  if (args !== undefined) functions.delete(`${name}/${inputs(args)}`)
  else for (const key of functions.keys()) if (key.startsWith(`${name}/`)) functions.delete(key)
}

/** Number of arguments a caller passes. */
function inputs(args: string): number {
  const given = args.split(',').filter((one) => one.trim() !== '' && !/^\s*OUT\s/i.test(one))
  return given.length
}
