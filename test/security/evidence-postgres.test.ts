/** Evidence on a PostgreSQL server: somebody with the owner's rights changes rows, functions and triggers, and is found out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openKeelson, type StoreProof } from '../../src/main.ts'
import { fillStore } from '../fixtures/rich-store.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

const PATIENCE_MS = 120_000
let server: PostgresServer
let url = ''
let directory = ''
let db: Client

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-evidence-'))
  server = await startPostgres()
  url = await server.createDatabase('evidence')
  await fillStore(directory, {
    store: await openPostgresStore({ connectionString: url }),
    keysDirectory: join(directory, 'keys'),
  })
  db = new Client({ connectionString: url })
  await db.connect()
}, PATIENCE_MS)

afterAll(async () => {
  await db.end()
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function verified(): Promise<StoreProof> {
  const store = await openPostgresStore({ connectionString: url, mustExist: true })
  await using keelson = await openKeelson({ directory, store, keysDirectory: join(directory, 'keys'), adopt: false })
  return await keelson.maintenance.verifyStore()
}

const told = ({ broken, findings }: StoreProof): string =>
  [...broken, ...findings.map(({ code, message }) => `${code} ${message}`)].join('\n')

it('a store that nobody touched is whole', { timeout: PATIENCE_MS }, async () => {
  expect(told(await verified())).toBe('')
})

describe('somebody with the rights of the owner', () => {
  it.each([
    ['switches a trigger off', 'ALTER TABLE keelson.events DISABLE TRIGGER events_never_change', 'is switched off'],
    [
      'drops a trigger',
      'DROP TRIGGER events_never_go ON keelson.events',
      'trigger events_never_go on events is missing',
    ],
    [
      'replaces the function behind it',
      'CREATE OR REPLACE FUNCTION keelson.keep_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
      'function keep_event was altered',
    ],
    [
      'adds a trigger of their own',
      `CREATE FUNCTION keelson.mine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
       CREATE TRIGGER mine BEFORE INSERT ON keelson.events FOR EACH ROW EXECUTE FUNCTION keelson.mine()`,
      "trigger mine on events is not Keelson's",
    ],
    [
      'adds a rule',
      'CREATE RULE mine AS ON UPDATE TO keelson.runs DO INSTEAD NOTHING',
      "rule mine on runs is not Keelson's",
    ],
    ['adds a view', 'CREATE VIEW keelson.mine AS SELECT 1 AS one', "view mine is not Keelson's"],
    ['adds a table', 'CREATE TABLE keelson.mine (one integer)', "table mine is not Keelson's"],
    [
      'drops an index that keeps keys apart',
      'DROP INDEX keelson.events_idempotency_key',
      'index events_idempotency_key is missing',
    ],
    [
      'puts another in its place',
      'DROP INDEX keelson.events_idempotency_key; CREATE INDEX events_idempotency_key ON keelson.events (run_key, idempotency_key)',
      'index events_idempotency_key was altered',
    ],
  ])('%s: the store says so', { timeout: PATIENCE_MS }, async (_what, sql, expected) => {
    const store = await openPostgresStore({ connectionString: url, mustExist: true })
    try {
      await db.query(sql)
      const faults = (await store.faults()).map(({ where, what }) => `${where} ${what}`)
      expect(faults.join('\n')).toContain(expected)
    } finally {
      await undo()
      await store.close()
    }
    expect(told(await verified())).toBe('')
  })

  it.each([
    ['a large value', `UPDATE keelson.run_blobs SET text = replace(text, 'x', 'y')`],
    ['a large value away', `DELETE FROM keelson.run_blobs WHERE ctid IN (SELECT min(ctid) FROM keelson.run_blobs)`],
    ['a captured variable', `UPDATE keelson.run_context SET value = '8' WHERE variable = 'total'`],
    ['the status of a run', `UPDATE keelson.runs SET status = 'FAILED' WHERE plan_id = 'child'`],
    ['who started a run', `UPDATE keelson.runs SET triggered_by = 'nobody' WHERE plan_id = 'order'`],
    ['a plan', `UPDATE keelson.plans SET text = replace(text, '1.0.0', '1.0.1')`],
    [
      'the newest publication of a plan away',
      `DELETE FROM keelson.plan_publications WHERE publication_pos = (SELECT max(publication_pos) FROM keelson.plan_publications)`,
    ],
    ['what a name of a plan leads to', exchanged()],
    ['a count', `UPDATE keelson.status_counts SET runs = runs + 1`],
    ['an inbox row', `DELETE FROM keelson.run_inbox WHERE kind = 'signal'`],
    ['a run away', `DELETE FROM keelson.runs WHERE plan_id = 'alone'`],
    ['the ids of two runs', swapped()],
  ])('changes %s: it is found', { timeout: PATIENCE_MS }, async (_what, sql) => {
    const copies = ['run_blobs', 'run_context', 'runs', 'plans', 'plan_publications', 'status_counts', 'run_inbox']
    for (const name of copies) await db.query(`CREATE TEMP TABLE kept_${name} AS SELECT * FROM keelson.${name}`)
    try {
      await db.query(sql)
      expect((await verified()).whole).toBe(false)
    } finally {
      for (const name of copies) {
        await db.query(`DELETE FROM keelson.${name}`)
        await db.query(`INSERT INTO keelson.${name} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${name}`)
        await db.query(`DROP TABLE kept_${name}`)
      }
    }
  })
})

/** The two versions of the child plan: its id then leads to the older one. */
function exchanged(): string {
  return `CREATE TEMP TABLE was AS SELECT * FROM keelson.plan_publications; DELETE FROM keelson.plan_publications;
    INSERT INTO keelson.plan_publications (publication_pos, tenant_id, plan_id, plan_version, sha256, replaces) OVERRIDING SYSTEM VALUE
      SELECT (SELECT min(publication_pos) + max(publication_pos) FROM was) - publication_pos, tenant_id, plan_id, plan_version, sha256, replaces
        FROM was; DROP TABLE was`
}

function swapped(): string {
  return `UPDATE keelson.runs SET run_id = run_id || '-' WHERE plan_id IN ('alone', 'brief');
    UPDATE keelson.runs r SET run_id = left(o.run_id, -1) FROM keelson.runs o
      WHERE r.plan_id IN ('alone', 'brief') AND o.plan_id IN ('alone', 'brief') AND r.plan_id <> o.plan_id`
}

/** As the migrations left it. */
async function undo(): Promise<void> {
  const sql = (await import('node:fs')).readFileSync(
    new URL('../../src/adapters/stores/postgres/sql/0008-feed.sql', import.meta.url),
    'utf8',
  )
  const keep = /CREATE OR REPLACE FUNCTION keelson\.keep_event\(\)[\s\S]*?END \$\$;/.exec(sql)?.[0] ?? ''
  await db.query(`DROP RULE IF EXISTS mine ON keelson.runs; DO $u$ BEGIN DROP VIEW IF EXISTS keelson.mine; EXCEPTION WHEN wrong_object_type THEN NULL; END $u$;
    DROP INDEX IF EXISTS keelson.events_idempotency_key;
    CREATE UNIQUE INDEX events_idempotency_key ON keelson.events (run_key, idempotency_key);
    DROP TRIGGER IF EXISTS mine ON keelson.events; DROP FUNCTION IF EXISTS keelson.mine();
    DROP TRIGGER IF EXISTS events_never_go ON keelson.events; ${keep}
    CREATE TRIGGER events_never_go BEFORE DELETE ON keelson.events
      FOR EACH ROW EXECUTE FUNCTION keelson.let_event_go();
    ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_go;
    ALTER TABLE keelson.events ENABLE ALWAYS TRIGGER events_never_change`)
  const isTable = await db.query("SELECT 1 FROM pg_tables WHERE schemaname = 'keelson' AND tablename = 'mine'")
  if (isTable.rowCount === 1) await db.query('DROP TABLE keelson.mine')
}
