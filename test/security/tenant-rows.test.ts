/** A database login that is bound to one tenant, held by somebody hostile: raw SQL without any predicate of ours. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { allEvents, creation, nextCommit, rowOf, step } from '../../src/testing/store/store-case.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { asAdmin, initRoles, urlOf, withClient } from '../setup/postgres-roles.ts'

const [MINE, THEIRS] = ['acme', 'Globex "Ünïted"'] as const
let server: PostgresServer
let url = ''
let owner: PostgresStore
let mine: PostgresStore
let theirs: PostgresStore
let own: RunRow
let foreign: RunRow

async function created(store: RunStore, tenantId: string, runId: string): Promise<RunRow> {
  const specs = [{ eventType: 'RunStarted' }, { ...step('StepCompleted', 'a'), data: { result: `canary-${tenantId}` } }]
  const made = creation(newRun({ tenantId, runId, requestKey: runId }), specs, {
    summary: summary({ status: 'RUNNING' }),
    blobs: [{ sha256: 'aa', text: `canary-${tenantId}` }],
    context: [{ variable: 'v', seq: 1, value: `"canary-${tenantId}"` }],
  })
  const [result] = await store.commit([made])
  if (result?.kind !== 'committed') throw new Error(`the run was not stored: ${String(result?.kind)}`)
  await store.insertInbox({ tenantId, runId }, { inboxId: 'x', kind: 'signal', body: '{}' })
  await store.putCheckpoint(result.runKey, { kind: 'state', seq: 2, rulesVersion: 1, body: `canary-${tenantId}` })
  await store.claimAttempt(result.runKey, { slot: 'a', attempt: 1, claimant: `canary-${tenantId}` })
  await store.putScopePause({ tenantId, pauseId: 'p', scope: `canary-${tenantId}`, active: false })
  await store.putPlan(
    { tenantId, sha256: 'aa', planId: 'p', planVersion: '1', text: `canary-${tenantId}` },
    { publish: true },
  )
  await store.putPool({ pool: `agent:x@${tenantId}`, capacity: 1 }, { ifAbsent: true })
  const row = await rowOf(store, result.runKey)
  const want = (slot: string) => ({ slot, attempt: 1, wants: { [`agent:x@${tenantId}`]: 1 }, priority: 0 })
  const grants = nextCommit(row, [], { claims: [want('b')], waits: [want('c')] })
  if ((await store.commit([grants]))[0]?.kind !== 'committed') throw new Error('nothing was granted')
  const { items, position } = await store.readFeed('audit', { now: 0, limit: 2 })
  const deliveries = items.map(({ runKey, event }, index) => ({
    runKey,
    runSeq: event.runSeq,
    error: `canary-${tenantId}`,
    ...(index === 0 ? { result: 'dead' as const } : { result: 'failed' as const, retryAt: 5 }),
  }))
  await store.settleFeed('audit', { position, deliveries })
  return rowOf(store, result.runKey)
}

beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('rows')
  await initRoles(url, { tenantId: MINE, runners: ['app_acme'] })
  await initRoles(url, { tenantId: THEIRS, runners: ['app_globex'] })
  await initRoles(url, { runners: ['fleet'] })
  owner = await openPostgresStore({ connectionString: url })
  await owner.putPool({ pool: 'resource:gpu', capacity: 2 })
  await owner.putScopePause({ pauseId: 'all', scope: 'fleet', active: false })
  mine = await openPostgresStore({ connectionString: urlOf(url, 'app_acme') })
  theirs = await openPostgresStore({ connectionString: urlOf(url, 'app_globex') })
  own = await created(mine, MINE, 'own')
  foreign = await created(theirs, THEIRS, 'foreign')
})
afterAll(async () => {
  await Promise.all([owner, mine, theirs].map((store) => store.close()))
  await server.stop()
})

const TABLES = `SELECT tablename AS t FROM pg_tables WHERE schemaname = 'keelson' ORDER BY 1`
const asMine = (sql: string): Promise<unknown> =>
  withClient(urlOf(url, 'app_acme'), async (client) => (await client.query(sql)).rows).catch(
    (error: { readonly code?: string; readonly message: string }) => error.code ?? error.message,
  )

it('both work whole, each on its own, under the same names', async () => {
  expect(await mine.standing()).toEqual({ login: 'app_acme', isOwner: false, tenants: [MINE] })
  expect(await theirs.standing()).toEqual({ login: 'app_globex', isOwner: false, tenants: [THEIRS] })
  for (const [store, tenantId, row] of [
    [mine, MINE, own],
    [theirs, THEIRS, foreign],
  ] as const) {
    expect((await store.listRuns(tenantId, {}, { limit: 9 })).runs.map(({ runId }) => runId)).toEqual([row.runId])
    expect(Object.fromEntries(await store.countRuns(tenantId))).toEqual({ RUNNING: 1 })
    expect((await store.dueRuns(Date.now(), 'me', 9)).map(({ runId }) => runId)).toEqual([row.runId])
    expect((await store.readGrants(row.runKey)).waits.map(({ slot }) => slot)).toEqual(['c'])
    expect(await store.feedStatus('audit')).toMatchObject({ deadLetters: 1, runsBlocked: 1 })
    expect((await store.readDeadLetters('audit', 9)).map(({ run }) => run.tenantId)).toEqual([tenantId])
    expect((await store.listPools()).map(({ pool }) => pool)).toEqual([`agent:x@${tenantId}`, 'resource:gpu'])
    expect(await store.sweepGrants()).toBe(0)
  }
  await mine.eraseData(own.runKey, 99)
  expect((await allEvents(mine, own.runKey)).map(({ data }) => data)).toEqual([undefined, undefined])
  expect((await allEvents(theirs, foreign.runKey)).filter(({ data }) => data !== undefined).length).toBe(1)
})

it('sees nothing of another tenant in any table, without any predicate', async () => {
  for (const { t } of await asAdmin(url, TABLES)) {
    const rows = await asMine(`SELECT x::text AS x FROM keelson.${String(t)} x`)
    expect(JSON.stringify(rows), String(t)).not.toMatch(/Globex|foreign/)
    if (t !== 'archive_tickets') expect(Array.isArray(rows), String(t)).toBe(true)
  }
  const ofTheirRun = `SELECT 1 FROM keelson.events WHERE run_key = ${foreign.runKey}`
  expect(await asMine(ofTheirRun)).toEqual([])
  expect(await asMine(`SELECT count(*)::int AS n FROM keelson.runs`)).toEqual([{ n: 1 }])
})

it('every table has row security, and a policy for who is bound', async () => {
  const open = await asAdmin(
    url,
    `SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'keelson'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p')
      AND c.relname NOT IN ('migrations', 'feed_generation') AND NOT (c.relrowsecurity AND EXISTS (SELECT 1 FROM pg_policies p
        WHERE p.schemaname = 'keelson' AND p.tablename = c.relname AND p.policyname = 'own_tenant' AND p.qual <> 'true'))`,
  )
  expect(open).toEqual([])
})

it('a function that leaks what it is given is shown no foreign row', async () => {
  const told = await withClient(urlOf(url, 'app_acme'), async (client) => {
    const notices: string[] = []
    client.on('notice', ({ message }) => notices.push(String(message)))
    await client.query(`CREATE FUNCTION pg_temp.leak(t text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
      AS $$ BEGIN RAISE NOTICE '%', t; RETURN true; END $$`)
    for (const sql of ['runs WHERE pg_temp.leak(tenant_id)', 'events WHERE pg_temp.leak(record)'])
      await client.query(`SELECT 1 FROM keelson.${sql}`)
    await client.query('SELECT 1 FROM keelson.runs WHERE 1 / (length(tenant_id) - 4) > 0').catch(() => undefined)
    return notices.join('\n')
  })
  expect(told).toContain('acme')
  expect(told).not.toMatch(/Globex/)
  const stats = await asMine(`SELECT * FROM pg_stats WHERE schemaname = 'keelson' AND tablename IN ('runs', 'events')`)
  expect(stats).toEqual([])
})

const denied = (found: unknown): boolean => found === '42501' || (Array.isArray(found) && found.length === 0)

it('writes nothing of another tenant: neither change, insert, copy, lock nor inbox row', async () => {
  const key = foreign.runKey
  const before = await asAdmin(url, `SELECT x::text FROM keelson.runs x WHERE run_key = ${key}`)
  const columns = 'run_key, seq, persisted_at, event_type, idempotency_key, chain_hash, record'
  const event = `(${key}, 9, 0, 'x', sha256(''), sha256(''), '{}')`
  for (const sql of [
    `UPDATE keelson.runs SET status = 'COMPLETED' WHERE run_key = ${key} RETURNING 1`,
    `SELECT 1 FROM keelson.runs WHERE run_key = ${key} FOR UPDATE`,
    `INSERT INTO keelson.events (${columns}) VALUES ${event}`,
    `INSERT INTO keelson.run_blobs VALUES (${key}, 'bb', 'x')`,
    `INSERT INTO keelson.run_inbox (run_key, inbox_id, kind, body, inserted_at) VALUES (${key}, 'y', 'signal', '{}', 0)`,
    `INSERT INTO keelson.run_context VALUES (${key}, 'v', 1, '2') ON CONFLICT (run_key, variable, seq) DO UPDATE SET value = '2'`,
    `INSERT INTO keelson.step_claims (run_key, slot, attempt, claimant) VALUES (${key}, 'z', 1, 'me')`,
    `INSERT INTO keelson.runs (run_key) VALUES (${key + 1000})`,
    `INSERT INTO keelson.erasure_tickets VALUES (${key}, 99)`,
    `INSERT INTO keelson.erasure_tickets VALUES (99999, 99)`,
    `INSERT INTO keelson.scope_pauses (tenant_id, pause_id, scope, active) VALUES ('', 'x', 'fleet', true)`,
    `UPDATE keelson.scope_pauses SET active = true WHERE tenant_id = '' RETURNING 1`,
    `INSERT INTO keelson.plans (tenant_id, sha256, plan_id, plan_version, text, replaces) VALUES ('${THEIRS}', 'x', 'p', '9', '', false)`,
    `INSERT INTO keelson.plan_publications (tenant_id, sha256, plan_id, plan_version, replaces) VALUES ('${THEIRS}', 'x', 'p', '9', true)`,
    `INSERT INTO keelson.status_counts VALUES ('${THEIRS}', 'RUNNING', 1, 9)`,
    `INSERT INTO keelson.pools (pool, capacity) VALUES ('resource:mine', 9)`,
    `UPDATE keelson.pools SET capacity = 99 WHERE pool = 'resource:gpu'`,
    `DELETE FROM keelson.grant_waits WHERE run_key = ${key} RETURNING 1`,
    `DELETE FROM keelson.grants WHERE run_key = ${key} RETURNING 1`,
    `INSERT INTO keelson.grants VALUES (${key}, 'z', 1, 'resource:gpu', 2)`,
    `DELETE FROM keelson.feed_subscribers WHERE subscriber LIKE '%Globex%' RETURNING 1`,
    `INSERT INTO keelson.feed_subscribers VALUES ('receipts', 1, '9', 9)`,
    `INSERT INTO keelson.tenant_roles VALUES ('app_acme', '${THEIRS}')`,
    `SET ROLE keelson_runner`,
    `SET ROLE keelson_runner_acme; SET ROLE fleet`,
    `SET SESSION AUTHORIZATION fleet`,
    `COPY keelson.runs FROM STDIN`,
  ]) {
    const answer = await asMine(sql)
    expect([sql, sql.startsWith('COPY') ? answer === '0A000' || answer === '42501' : denied(answer)]).toEqual([
      sql,
      true,
    ])
  }
  await withClient(urlOf(url, 'app_acme'), async (client) => {
    await client.query('SET row_security = off')
    await expect(client.query('SELECT 1 FROM keelson.runs')).rejects.toMatchObject({ code: '42501' })
    await client.query(`SET row_security = on; SET "keelson.tenant" = '${THEIRS}'; SET search_path = pg_temp`)
    expect((await client.query(`SELECT 1 FROM keelson.runs WHERE tenant_id <> 'acme'`)).rows).toEqual([])
  })
  expect(await asAdmin(url, `SELECT x::text FROM keelson.runs x WHERE run_key = ${key}`)).toEqual(before)
})

it('the functions of a commit are no way round: a foreign run is one that is not there', async () => {
  const [result] = await mine.commit([nextCommit(foreign, [step('StepStarted', 'z')])])
  const [absent] = await mine.commit([nextCommit({ ...foreign, runKey: 99_999 }, [step('StepStarted', 'z')])])
  expect(result).toEqual(absent)
  expect(result?.kind).toBe('conflict')
  const ref = { tenantId: THEIRS, runId: foreign.runId }
  expect(await mine.insertInbox(ref, { inboxId: 'q', kind: 'signal', body: '{}' })).toEqual({ kind: 'no-run' })
  expect(await mine.findRun(ref)).toBeUndefined()
  expect(await mine.getRun(foreign.runKey)).toBeUndefined()
  // A run id is each tenant's own: whoever tries a foreign one is told nothing, because nothing is in the way.
  const [same] = await mine.commit([creation(newRun({ tenantId: MINE, runId: foreign.runId }))])
  expect(same).toMatchObject({ kind: 'committed' })
  expect(await mine.getPlan(THEIRS, 'aa')).toBeUndefined()
  expect(await mine.getPlan(MINE, 'aa')).toBe(`canary-${MINE}`)
  await expect(mine.eraseData(foreign.runKey, 99)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  await mine.quarantine(foreign.runKey, 'RUN_QUARANTINED')
  await mine.raiseEpochs()
  await mine.dropSubscriber('audit')
  const after = await rowOf(theirs, foreign.runKey)
  expect(after).toEqual(foreign)
  expect(await theirs.feedStatus('audit')).toMatchObject({ deadLetters: 1, runsBlocked: 1 })
})

it('a runner of the fleet serves all tenants, as before', async () => {
  const fleet = await openPostgresStore({ connectionString: urlOf(url, 'fleet') })
  try {
    expect(await fleet.standing()).toEqual({ login: 'fleet', isOwner: false })
    expect((await fleet.listRuns(THEIRS, {}, { limit: 9 })).runs.length).toBe(1)
    expect((await fleet.listRuns(MINE, {}, { limit: 9 })).runs.length).toBe(2)
  } finally {
    await fleet.close()
  }
})

it('a login of the fleet is not bound to a tenant unnoticed, nor a role to two tenants', async () => {
  await expect(owner.initRoles({ tenantId: MINE, runners: ['fleet'] })).rejects.toMatchObject({
    code: 'STORE_ROLE_TAKEN',
  })
  await asAdmin(url, `UPDATE keelson.tenant_roles SET tenant_id = 'other' WHERE role_name = 'keelson_runner_acme'`)
  await expect(owner.initRoles({ tenantId: MINE })).rejects.toMatchObject({ code: 'STORE_ROLE_TAKEN' })
  await asAdmin(url, `UPDATE keelson.tenant_roles SET tenant_id = 'acme' WHERE role_name = 'keelson_runner_acme'`)
})
