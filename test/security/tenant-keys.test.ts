/**
 * What decides whether two things are one: every primary key and unique index of both databases has the tenant in it, or a run's
 * key, which belongs to one tenant; or it stands here with the reason why nobody can meet another tenant by it.
 */
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateTo, MIGRATIONS } from '../../src/adapters/stores/sqlite/migrate.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { asAdmin } from '../setup/postgres-roles.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

const NUMBERED = 'a number that the database gives; nobody chooses it or is told of it'
const NAMED = 'a name with its tenant in it (core/feed/subscriber.ts), or one for all tenants'
const POOL = 'a tenant’s own pool is named after it (app/grants/agent-pools.ts); the others are the fleet’s, on purpose'
const SINGLE = 'one row'
const KEY_ID = 'a key’s id tells whose it is; it is made by chance, and whoever puts one learns only that it is taken'

const ADDRESS = 'the address that a sender was given tells whose trigger it is; it is made by chance'

const IN_SQLITE: Readonly<Record<string, string>> = {
  'api_keys (key_id)': KEY_ID,
  'appends (pos)': NUMBERED,
  'feed_cursors (subscriber)': NAMED,
  'feed_dead (dead_pos)': NUMBERED,
  'feed_floor (one)': SINGLE,
  'grant_waits (place, pool)': NUMBERED,
  'plan_publications (publication_pos)': NUMBERED,
  'plans (plan_pos)': NUMBERED,
  'pools (pool)': POOL,
  'run_inbox (inbox_pos)': NUMBERED,
  'scope_pauses (pause_pos)': NUMBERED,
  'sent_events (event_pos)': NUMBERED,
  'signal_decisions (decision_pos)': NUMBERED,
  'step_claims (claim_pos)': NUMBERED,
  'trigger_deliveries (delivery_pos)': NUMBERED,
  'triggers (address)': ADDRESS,
}
const IN_POSTGRES: Readonly<Record<string, string>> = {
  'api_keys (key_id)': KEY_ID,
  'feed_dead_letters (dead_pos)': NUMBERED,
  'feed_generation (only_row)': SINGLE,
  'feed_subscribers (subscriber)': NAMED,
  'grant_wait_pools (place, pool)': NUMBERED,
  'grant_waits (place)': NUMBERED,
  'migrations (version)': 'the owner’s list of schemas',
  'plan_publications (publication_pos)': NUMBERED,
  'plans (plan_pos)': NUMBERED,
  'pools (pool)': POOL,
  'run_inbox (inbox_pos)': NUMBERED,
  'scope_pauses (pause_pos)': NUMBERED,
  'sent_events (event_pos)': NUMBERED,
  'signal_decisions (decision_pos)': NUMBERED,
  'step_claims (claim_pos)': NUMBERED,
  'tenant_roles (role_name)': 'a role is the whole server’s; the owner alone writes here',
  'trigger_deliveries (delivery_pos)': NUMBERED,
  'triggers (address)': ADDRESS,
}

interface Key {
  readonly table: string
  readonly columns: readonly string[]
}

const shared = (keys: readonly Key[]): readonly string[] => {
  const apart = ({ columns }: Key): boolean => columns.includes('tenant_id') || columns.includes('run_key')
  const names = keys
    .filter((key) => !apart(key))
    .map(({ table, columns }) => `${table} (${columns.toSorted().join(', ')})`)
  return [...new Set(names)].toSorted()
}

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('keys')
  await (await openPostgresStore({ connectionString: url })).close()
})
afterAll(() => server.stop())

it('in SQLite every key has its tenant, a run’s key or a reason', () => {
  const db = new DatabaseSync(':memory:')
  migrateTo(db, MIGRATIONS.length)
  const all = (sql: string, ...values: string[]): Record<string, unknown>[] => db.prepare(sql).all(...values)
  const keys = all(`SELECT name FROM sqlite_schema WHERE type = 'table'`).flatMap(({ name }): Key[] => {
    const table = String(name)
    const primary = all('SELECT name FROM pragma_table_info(?) WHERE pk > 0', table).map((one) => String(one['name']))
    const unique = all('SELECT name FROM pragma_index_list(?) WHERE "unique" = 1', table).map((index) =>
      all('SELECT name FROM pragma_index_info(?)', String(index['name'])).map((one) => String(one['name'])),
    )
    return [primary, ...unique].filter((columns) => columns.length > 0).map((columns) => ({ table, columns }))
  })
  db.close()
  expect(keys.length).toBeGreaterThan(25)
  expect(shared(keys)).toEqual(Object.keys(IN_SQLITE))
})

it('in PostgreSQL every key has its tenant, a run’s key or a reason', async () => {
  const rows = await asAdmin(
    url,
    `SELECT c.relname::text AS t, array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
      WHERE i.indisunique AND c.relnamespace = 'keelson'::regnamespace GROUP BY c.relname, i.indexrelid`,
  )
  const keys = rows.map(({ t, columns }): Key => ({ table: String(t), columns: columns as string[] }))
  expect(keys.length).toBeGreaterThan(25)
  expect(shared(keys)).toEqual(Object.keys(IN_POSTGRES))
})
