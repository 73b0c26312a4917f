/** A stolen password of the running or the archiving login: what its holder tries on the database itself, by raw SQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../src/testing/store/store-case.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { asAdmin, initRoles, urlOf, withClient } from '../setup/postgres-roles.ts'

let server: PostgresServer
let url = ''
let owner: RunStore
let ended: RunRow
let running: RunRow

async function created(runId: string, status: 'RUNNING' | 'COMPLETED'): Promise<RunRow> {
  const specs = [{ eventType: 'RunStarted' }, { ...step('StepCompleted', 'a'), data: { result: 'canary' } }]
  const blobs = [{ sha256: 'aa', text: 'large' }]
  await owner.commit([creation(newRun({ runId }), specs, { summary: summary({ status }), blobs })])
  const row = await owner.findRun({ tenantId: 'tenant-a', runId })
  if (row === undefined) throw new Error('the run was not stored')
  return row
}

beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('roles')
  await initRoles(url, { runners: ['serving'], archivists: ['archiving'] })
  owner = await openPostgresStore({ connectionString: url })
  ended = await created('ended', 'COMPLETED')
  running = await created('running', 'RUNNING')
  await owner.putPlan({ tenantId: 'tenant-a', sha256: 'aa', planId: 'p', planVersion: '1', text: '{}' })
  await owner.claimAttempt(running.runKey, { slot: 'a', attempt: 1, claimant: 'me' })
})
afterAll(async () => {
  await owner.close()
  await server.stop()
})

/** Everything there is, as text. */
async function contents(): Promise<string> {
  const tables = await asAdmin(url, `SELECT tablename AS t FROM pg_tables WHERE schemaname = 'keelson' ORDER BY 1`)
  const all = tables.map(({ t }) => `SELECT '${String(t)}' AS t, x::text FROM keelson.${String(t)} x`)
  return JSON.stringify(await asAdmin(url, `${all.join(' UNION ALL ')} ORDER BY 1, 2`))
}

const UNTOUCHABLE = [
  'events',
  'run_blobs',
  'plans',
  'plan_publications',
  'step_claims',
  'archive_tickets',
  'erasure_tickets',
  'audit_log',
  'migrations',
]
const COLUMN: Readonly<Record<string, string>> = {
  events: 'data',
  run_blobs: 'text',
  plans: 'text',
  plan_publications: 'sha256',
  step_claims: 'claimant',
  archive_tickets: 'archived',
  erasure_tickets: 'up_to_seq',
  audit_log: 'record',
  migrations: 'name',
}

/** What neither login may do to a table that is evidence. */
const TAMPERING = UNTOUCHABLE.flatMap((table) => [
  `UPDATE keelson.${table} SET ${COLUMN[table] ?? ''} = NULL`,
  `DELETE FROM keelson.${table}`,
  `TRUNCATE keelson.${table}`,
  `ALTER TABLE keelson.${table} DISABLE TRIGGER ALL`,
  `ALTER TABLE keelson.${table} DISABLE ROW LEVEL SECURITY`,
  `DROP TABLE keelson.${table} CASCADE`,
])

const TAKING_OVER = [
  'SET session_replication_role = replica',
  'SET ROLE keelson_owner',
  'SET SESSION AUTHORIZATION postgres',
  'CREATE TABLE keelson.mine (a int)',
  `CREATE FUNCTION keelson.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  `CREATE OR REPLACE FUNCTION keelson.keep_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
  'ALTER FUNCTION keelson.erase_run() SECURITY INVOKER',
  'DROP FUNCTION keelson.keep_event() CASCADE',
  'DROP SCHEMA keelson CASCADE',
  'ALTER SCHEMA keelson RENAME TO gone',
  'CREATE TRIGGER mine BEFORE INSERT ON keelson.events EXECUTE FUNCTION keelson.refuse()',
  'CREATE POLICY mine ON keelson.events USING (true)',
  'CREATE RULE mine AS ON INSERT TO keelson.events DO INSTEAD NOTHING',
  'CREATE INDEX mine ON keelson.events (seq)',
  `INSERT INTO keelson.tenant_roles VALUES ('serving', 'tenant-b')`,
  `INSERT INTO keelson.migrations VALUES (99, 'x')`,
  'UPDATE keelson.feed_generation SET generation = 9',
  'DELETE FROM keelson.runs',
  'DELETE FROM keelson.signal_decisions',
  `UPDATE keelson.signal_decisions SET actor_id = 'somebody'`,
  'DELETE FROM keelson.api_keys',
  `UPDATE keelson.api_keys SET roles = '["Admin"]'`,
  `UPDATE keelson.runs SET tenant_id = 'tenant-b'`,
  `UPDATE keelson.runs SET run_id = 'other'`,
  `UPDATE keelson.runs SET plan_sha256 = 'other'`,
  `UPDATE keelson.runs SET triggered_by = 'somebody'`,
  'UPDATE keelson.runs SET created_at = 0',
  'UPDATE keelson.runs SET archived_at = 1',
  'DELETE FROM keelson.pools',
  `COPY keelson.migrations TO PROGRAM 'id'`,
  `SELECT nextval('keelson.plans_plan_pos_seq')`,
  'BEGIN; LOCK TABLE keelson.events IN ACCESS EXCLUSIVE MODE',
]

it.each(['serving', 'archiving'])(
  'the login %s may change no evidence, take nothing over and rewrite no run [EVT-01]',
  async (login) => {
    const before = await contents()
    await withClient(urlOf(url, login), async (client) => {
      for (const sql of [...TAMPERING, ...TAKING_OVER]) {
        const attempt = client.query(sql).then(
          () => 'done',
          (error: { readonly code?: string }) => error.code,
        )
        expect([sql, await attempt]).toEqual([sql, '42501'])
        await client.query('ROLLBACK')
      }
      // Who has no right to give away gives away nothing, and is not refused.
      await client.query('GRANT ALL ON ALL TABLES IN SCHEMA keelson TO PUBLIC')
    })
    expect(await contents()).toBe(before)
  },
)

it('the runner may not archive, and the archivist may not run, erase or steer', async () => {
  const archive = `INSERT INTO keelson.archive_tickets (run_key, head_hash) VALUES (${ended.runKey}, '\\x00')`
  await withClient(urlOf(url, 'serving'), async (client) => {
    await expect(client.query(archive)).rejects.toMatchObject({ code: '42501' })
  })
  for (const sql of [
    `INSERT INTO keelson.erasure_tickets VALUES (${ended.runKey}, 9)`,
    `UPDATE keelson.runs SET status = 'COMPLETED'`,
    `INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at) VALUES (1, 'x', 'signal', '{}', 0)`,
    `INSERT INTO keelson.scope_pauses (tenant_id, pause_id, scope, active) VALUES ('', 'x', 'fleet', true)`,
  ])
    await withClient(urlOf(url, 'archiving'), async (client) => {
      await expect(client.query(sql), sql).rejects.toMatchObject({ code: '42501' })
    })
})

it('every function with the rights of the owner looks names up in pg_catalog alone, and the owner is nobody', async () => {
  const unsafe = await asAdmin(
    url,
    `SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'keelson'::regnamespace AND (p.prosecdef OR p.prorettype = 'trigger'::regtype)
      AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)`,
  )
  expect(unsafe).toEqual([])
  const owners = await asAdmin(
    url,
    `SELECT DISTINCT r.rolname AS owner, r.rolcanlogin AS login, r.rolsuper AS super FROM pg_roles r WHERE r.oid IN (
      SELECT proowner FROM pg_proc WHERE pronamespace = 'keelson'::regnamespace
      UNION SELECT relowner FROM pg_class WHERE relnamespace = 'keelson'::regnamespace
      UNION SELECT nspowner FROM pg_namespace WHERE nspname = 'keelson')`,
  )
  expect(owners).toEqual([{ owner: 'keelson_owner', login: false, super: false }])
})

it('nobody but the roles may call anything: PUBLIC has no right in the schema', async () => {
  await asAdmin(url, 'CREATE ROLE stranger LOGIN')
  await withClient(urlOf(url, 'stranger'), async (client) => {
    for (const sql of [
      'SELECT * FROM keelson.runs',
      'SELECT keelson.gather_counts()',
      'SELECT keelson.raise_generation()',
    ])
      await expect(client.query(sql), sql).rejects.toMatchObject({ code: '42501' })
  })
  const open = await asAdmin(
    url,
    `SELECT p.proname FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      WHERE p.pronamespace = 'keelson'::regnamespace AND a.grantee = 0`,
  )
  expect(open).toEqual([])
})

it('a function of the runner’s own that shadows a built-in one changes nothing of an erasure', async () => {
  const run = await created('shadowed', 'COMPLETED')
  await withClient(urlOf(url, 'serving'), async (client) => {
    await client.query('CREATE TEMP TABLE events (a int); CREATE TEMP TABLE erasure_tickets (a int)')
    await client.query('SET search_path = pg_temp, keelson, pg_catalog')
    await client.query('INSERT INTO keelson.erasure_tickets VALUES ($1, 1)', [run.runKey])
  })
  expect((await allEvents(owner, run.runKey)).map(({ data }) => data !== undefined)).toEqual([false, true])
})

it('does all that a store does, erasure by its ticket included [EVT-01]', async () => {
  const mine = await openPostgresStore({ connectionString: urlOf(url, 'serving') })
  try {
    expect(await mine.standing()).toEqual({ login: 'serving', isOwner: false })
    const run = await created('erasable', 'COMPLETED')
    await mine.eraseData(run.runKey, 99)
    expect((await allEvents(mine, run.runKey)).map(({ data }) => data)).toEqual([undefined, undefined])
    expect(await mine.getBlob(run.runKey, 'aa')).toBeUndefined()
    const next = nextCommit(await rowOf(mine, running.runKey), [step('StepStarted', 'b')])
    expect((await mine.commit([next]))[0]?.kind).toBe('committed')
    await expect(mine.archiveRun(ended.runKey, ended.headHash)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  } finally {
    await mine.close()
  }
})

it('the archivist archives whole ended runs through a store, and nothing else [STO-15]', async () => {
  const mine = await openPostgresStore({ connectionString: urlOf(url, 'archiving') })
  const run = await created('archivable', 'COMPLETED')
  try {
    expect(await mine.archiveRun(running.runKey, running.headHash)).toBe('not-terminal')
    expect(await mine.archiveRun(run.runKey, new Uint8Array(32))).toBe('head-moved')
    expect(await mine.archiveRun(run.runKey, run.headHash)).toBe('archived')
    await expect(mine.commit([creation(newRun({ runId: 'new' }))])).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  } finally {
    await mine.close()
  }
  expect(await allEvents(owner, run.runKey)).toEqual([])
})

describe('making the roles', () => {
  it('twice is making them once, with the same rights', async () => {
    const rights = () =>
      asAdmin(
        url,
        `SELECT relname, relacl::text, (SELECT string_agg(attname || attacl::text, ',' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = c.oid AND attacl IS NOT NULL) AS columns FROM pg_class c
          WHERE relnamespace = 'keelson'::regnamespace AND relkind = 'r' ORDER BY 1`,
      )
    const before = await rights()
    await initRoles(url, { runners: ['serving'], archivists: ['archiving'] })
    expect(await rights()).toEqual(before)
  })

  it('by a login that may not is refused with the statement that an administrator can run, and changes nothing', async () => {
    await asAdmin(url, 'CREATE ROLE plain LOGIN')
    await asAdmin(url, 'CREATE DATABASE plain_own OWNER plain')
    const own = urlOf(url, 'plain').replace(/\/roles$/, '/plain_own')
    const store = await openPostgresStore({ connectionString: own })
    try {
      await expect(store.initRoles({ tenantId: 'acme' })).rejects.toMatchObject({
        code: 'STORE_ROLES_DENIED',
        problems: [
          { hint: 'an administrator can: connect as one, or have it run: CREATE ROLE "keelson_runner_acme" NOLOGIN' },
        ],
      })
      expect(await store.standing()).toEqual({ login: 'plain', isOwner: true })
    } finally {
      await store.close()
    }
  })

  it('for a login that is not there is refused, whatever it is called', async () => {
    const store = await openPostgresStore({ connectionString: url })
    try {
      for (const login of ['nobody_here', 'x"; DROP SCHEMA keelson CASCADE; --'])
        await expect(store.initRoles({ runners: [login] })).rejects.toMatchObject({ code: 'STORE_ROLE_UNKNOWN' })
    } finally {
      await store.close()
    }
  })

  it('by an administrator that is no superuser works', async () => {
    await asAdmin(url, 'CREATE ROLE admin_only LOGIN CREATEROLE')
    await asAdmin(url, 'CREATE DATABASE admins OWNER admin_only')
    const admins = urlOf(url, 'admin_only').replace(/\/roles$/, '/admins')
    const store = await openPostgresStore({ connectionString: admins })
    await store.initRoles({ runners: ['serving'] })
    await store.close()
    const served = await openPostgresStore({ connectionString: urlOf(url, 'serving').replace(/\/roles$/, '/admins') })
    expect((await served.commit([creation(newRun({ runId: 'new' }))]))[0]?.kind).toBe('committed')
    await served.close()
  })
})
