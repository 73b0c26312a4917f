/** Opening a store: migrations, durability, and one clear error for each way in which a server can be unusable. */
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../../../../test/setup/postgres.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation } from '../../../testing/store/store-case.ts'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStore, type PostgresStoreOptions } from './store.ts'
import { startChild } from '../../../../test/fixtures/child.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

let server: PostgresServer
let count = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const newDatabase = () => server.createDatabase(`connect_${(count += 1)}`)

async function raw<T>(url: string, work: (db: Client) => Promise<T>): Promise<T> {
  const db = new Client({ connectionString: url })
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

async function refusal(options: PostgresStoreOptions) {
  try {
    await (await openPostgresStore(options)).close()
  } catch (error) {
    if (error instanceof KeelsonError)
      return { code: error.code, message: error.message, hint: error.problems[0]?.hint }
    throw error
  }
  return { code: 'opened', message: '', hint: undefined }
}

/** Runs a module in its own process and returns what it printed. */
async function inProcess(code: string, cwd = process.cwd()): Promise<string> {
  const child = startChild(process.execPath, ['--input-type=module', '--eval', code], { cwd })
  let told = ''
  child.stdout?.on('data', (chunk: Buffer) => (told += chunk.toString()))
  await once(child, 'close')
  return told.trim()
}

const SCHEMA = `SELECT table_name, column_name, data_type FROM information_schema.columns
  WHERE table_schema = 'keelson' ORDER BY 1, 2`

describe('migrations', () => {
  it('are the files of the folder, numbered from one', () => {
    const files = readdirSync(join(import.meta.dirname, 'sql')).filter((name) => /^\d/.test(name))
    expect(files.sort()).toEqual([...MIGRATIONS])
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1))
  })

  it('are applied once by four processes that start at once, and again change nothing', async () => {
    const url = await newDatabase()
    const store = pathToFileURL(join(import.meta.dirname, 'store.ts')).href
    const code = `const { openPostgresStore } = await import(${JSON.stringify(store)})
      const store = await openPostgresStore({ connectionString: ${JSON.stringify(url)} })
      console.log('opened')
      await store.close()`
    expect(await Promise.all([1, 2, 3, 4].map(() => inProcess(code)))).toEqual(Array(4).fill('opened'))
    const before = await raw(url, async (db) => (await db.query(SCHEMA)).rows)
    const applied = await raw(url, async (db) => (await db.query('TABLE keelson.migrations')).rows)
    expect(applied.map(({ name }: { readonly name: string }) => name)).toEqual([...MIGRATIONS])
    await (await openPostgresStore({ connectionString: url })).close()
    expect(await raw(url, async (db) => (await db.query(SCHEMA)).rows)).toEqual(before)
    expect(await raw(url, async (db) => (await db.query('TABLE keelson.migrations')).rows)).toEqual(applied)
  })

  it('leave nothing behind when one of them fails', async () => {
    const url = await newDatabase()
    await raw(url, (db) =>
      db.query(`CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN IF to_regclass('keelson.run_blobs') IS NOT NULL THEN RAISE EXCEPTION 'enough'; END IF; END $$;
        CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse()`),
    )
    expect((await refusal({ connectionString: url })).message).toContain('enough')
    const left = await raw(url, async (db) => (await db.query(`SELECT to_regnamespace('keelson') AS schema`)).rows)
    expect(left).toEqual([{ schema: null }])
    await raw(url, (db) => db.query('DROP EVENT TRIGGER refuse'))
    expect((await refusal({ connectionString: url })).code).toBe('opened')
  })

  it('of a newer version are refused, and so is a schema that is not ours', async () => {
    const url = await newDatabase()
    await (await openPostgresStore({ connectionString: url })).close()
    await raw(url, (db) => db.query(`INSERT INTO keelson.migrations (version, name) VALUES (99, '0099-x.sql')`))
    expect((await refusal({ connectionString: url })).code).toBe('STORE_SCHEMA_NEWER')
    const foreign = await newDatabase()
    await raw(foreign, (db) => db.query('CREATE SCHEMA keelson; CREATE TABLE keelson.ships (name text)'))
    expect((await refusal({ connectionString: foreign })).code).toBe('STORE_CORRUPT')
  })
})

describe('durability', () => {
  it('is asked of the server at the start: without it a store is refused, or waived with a warning', async () => {
    const url = await newDatabase()
    const name = new URL(url).pathname.slice(1)
    await raw(url, (db) => db.query(`ALTER DATABASE ${name} SET synchronous_commit = off`))
    const refused = await refusal({ connectionString: url })
    expect(refused).toMatchObject({ code: 'STORE_DURABILITY', hint: 'Set synchronous_commit = on on the server.' })
    expect(refused.message).toContain('synchronous_commit is off')
    const warning = once(process, 'warning') as Promise<[Error & { readonly code?: string }]>
    const store = await openPostgresStore({ connectionString: url, waiveDurability: true })
    expect(store.manifest.durable).toBe(false)
    expect((await warning)[0]).toMatchObject({ code: 'STORE_DURABILITY' })
    await store.close()
  })

  it('needs fsync and full_page_writes as well', async () => {
    const url = await newDatabase()
    await server.restart({ fsync: 'off', full_page_writes: 'off' })
    const { code, message } = await refusal({ connectionString: url })
    await server.restart()
    expect(code).toBe('STORE_DURABILITY')
    expect(message).toContain('fsync is off, full_page_writes is off')
    const store = await openPostgresStore({ connectionString: url })
    expect(store.manifest.durable).toBe(true)
    await store.close()
  })
})

describe('a server that cannot be used', () => {
  it('is named without the password', async () => {
    const nobody = 'postgres://me:canary-7f3a@127.0.0.1:1/none'
    const { code, message } = await refusal({ connectionString: nobody })
    expect(code).toBe('STORE_UNAVAILABLE')
    expect(message).toContain('127.0.0.1:1/none')
    expect(message).not.toContain('canary')
  })

  it('is told apart: no database, no connection left, read only, closed', async () => {
    const url = await newDatabase()
    expect((await refusal({ connectionString: url.replace(/connect_\d+/, 'nowhere') })).code).toBe('STORE_NOT_FOUND')
    const store = await openPostgresStore({ connectionString: url, poolSize: 1 })
    const name = new URL(url).pathname.slice(1)
    await raw(url, (db) =>
      db.query(`CREATE ROLE guest LOGIN CONNECTION LIMIT 0; GRANT CREATE ON DATABASE ${name} TO guest`),
    )
    expect((await refusal({ connectionString: url.replace('postgres@', 'guest@') })).code).toBe('STORE_UNAVAILABLE')
    await raw(url, (db) => db.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`))
    const reader = await openPostgresStore({ connectionString: url })
    const one = creation(newRun({ runId: 'r1' }))
    await expect(reader.commit([one])).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await reader.close()
    await raw(url, async (db) => {
      await db.query('SET default_transaction_read_only = off')
      await db.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    })
    await store.commit([one])
    await store.close()
    await expect(store.commit([one])).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  })

  it('in the middle of a commit leaves its fate unknown, and says so', async () => {
    const url = await newDatabase()
    const store = await openPostgresStore({ connectionString: url })
    await raw(url, async (db) => {
      await db.query('BEGIN; LOCK TABLE keelson.runs')
      const commit = store.commit([creation(newRun({ runId: 'r1' }))])
      const blocked = 'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted'
      const told = expect(commit).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      for (;;) if ((await db.query(blocked)).rows.length > 0) break
      await told
      await db.query('COMMIT')
    })
    expect((await store.commit([creation(newRun({ runId: 'r1' }))]))[0]?.kind).toBe('committed')
    await store.close()
  })

  it('because pg is not installed says what to install', async () => {
    const folder = testFolder()
    const source = join(import.meta.dirname, '..', '..', '..')
    for (const part of ['core', 'ports', 'adapters/stores/postgres'])
      cpSync(join(source, part), join(folder, 'src', part), { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    for (const name of ['canonicalize', 'fastest-levenshtein']) {
      const [place = ''] = new URL(import.meta.resolve(name)).pathname.split(`/node_modules/${name}/`)
      symlinkSync(join(place, 'node_modules', name), join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const code = `const { openPostgresStore } = await import('./src/adapters/stores/postgres/store.ts')
      await openPostgresStore({ connectionString: 'postgres://127.0.0.1:1/x' }).catch((error) =>
        console.log(error.code, error.problems[0].hint))`
    const told = await inProcess(code, folder)
    expect(told).toBe('STORE_DRIVER_MISSING Install it beside keelson: npm install pg')
  })
})
