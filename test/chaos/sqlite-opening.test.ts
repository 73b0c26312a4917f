/**
 * A database file that another process makes or leaves half made while it is opened here. The interleavings are played exactly: the
 * other process acts between two questions that the opening asks, which two real processes meet once in some hundred times.
 */
import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inspect, MIGRATIONS, migrate } from '../../src/adapters/stores/sqlite/migrate.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation } from '../../src/testing/store/store-case.ts'
import { testFolder } from '../fixtures/folder.ts'

/** What another process does as soon as the size of a file was asked, once. */
const meanwhile = vi.hoisted(() => ({ file: '', act: (): void => undefined }))

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const asked = (path: string, options?: { readonly throwIfNoEntry?: false }): unknown => {
    const answer = fs.statSync(path, options)
    if (path !== meanwhile.file) return answer
    meanwhile.file = ''
    meanwhile.act()
    return answer
  }
  return { ...fs, statSync: asked }
})

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let path = ''
let other: DatabaseSync | undefined

beforeEach(() => {
  folder = testFolder()
  path = join(folder, 'keelson.db')
})
afterEach(() => {
  meanwhile.file = ''
  other?.close()
  other = undefined
})

/** As another process makes the database: its first page, then its schema in the write-ahead log. */
function made(): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL')
  migrate(db, path)
  return db
}

async function opens(): Promise<void> {
  const store = await openSqliteStore({ path, clock })
  const [answer] = await store.commit([creation(newRun({ runId: 'r1' }))])
  expect(answer?.kind).toBe('committed')
  await store.close()
}

it.each(['', '-wal'])(
  'a database made while the size of its file%s is asked is not taken for a cut one',
  async (beside) => {
    writeFileSync(path, '')

    meanwhile.act = () => void (other = made())
    meanwhile.file = path + beside
    await opens()
    expect(meanwhile.file).toBe('')
    expect(other).toBeDefined()
  },
)

/** The connection, and an act of somebody else before it is asked for the tables. */
function interrupted(db: DatabaseSync, act: () => void): DatabaseSync {
  return new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        if (name === 'prepare' && String(args[0]).includes('sqlite_schema')) act()
        return Reflect.apply(value, target, args)
      }
    },
  })
}

it('a database whose tables another process makes between two questions is not taken for a foreign one', () => {
  const first = new DatabaseSync(path)
  first.exec('PRAGMA journal_mode = WAL')
  const db = new DatabaseSync(path, { readOnly: true })
  inspect(
    interrupted(db, () => migrate(first, path)),
    path,
  )
  expect(db.isTransaction).toBe(false)
  expect(db.prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length)
  db.close()
  first.close()
})

it('a file is not made a database by another process between two questions', () => {
  const first = new DatabaseSync(path)
  expect(statSync(path).size).toBe(0)
  const db = new DatabaseSync(path, { readOnly: true })
  const acted = vi.fn(() => first.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL; CREATE TABLE t (a)'))
  expect(() => inspect(interrupted(db, acted), path)).toThrow('database is locked')
  expect(acted).toHaveBeenCalledOnce()
  inspect(db, path)
  db.close()
  first.close()
})

/** The state of the files while the transaction that makes the first pages is being written. */
function halfMade(): void {
  const source = join(folder, 'source.db')
  const db = new DatabaseSync(source)
  db.exec('PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE t (a)')
  const insert = db.prepare('INSERT INTO t VALUES (zeroblob(3000))')
  for (let row = 0; row < 50; row++) insert.run()
  for (const beside of ['', '-journal']) copyFileSync(source + beside, path + beside)
  db.exec('ROLLBACK')
  db.close()
}

it('a database whose maker was killed over its first page is made by the next', async () => {
  halfMade()
  expect(statSync(path).size).toBeGreaterThan(0)
  await opens()
  expect(existsSync(`${path}-journal`)).toBe(false)
})

it('and one who only reads it finds nothing in it', async () => {
  halfMade()
  const store = await openSqliteStore({ path, clock, readOnly: true })
  expect(await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })).toBeUndefined()
  await store.close()
  expect(existsSync(`${path}-journal`)).toBe(true)
})
