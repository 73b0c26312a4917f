/** Migrations: numbered without gaps, applied once however often and from however many sides a file is opened. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { migrate, MIGRATIONS } from './migrate.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-migrate-'))
  path = join(folder, 'new', 'keelson.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('migrations', () => {
  it('are the files of the folder, numbered from one', () => {
    const files = readdirSync(join(import.meta.dirname, 'sql')).sort()
    expect(files).toEqual([...MIGRATIONS])
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1))
  })

  it('make the folder and the schema once, whether a file is opened again or from many sides at once', async () => {
    const first = await Promise.all(Array.from({ length: 5 }, () => connect({ path })))
    const schema = () => first[0]?.db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
    const before = schema()
    const again = await connect({ path })
    expect(schema()).toEqual(before)
    expect(again.db.prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length)
    for (const connection of [...first, again]) connection.close()
    const bytes = readFileSync(path)
    ;(await connect({ path })).close()
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  it('leave nothing behind when one of them fails', async () => {
    ;(await connect({ path: join(folder, 'new', 'other.db') })).close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA max_page_count = 12')
    expect(() => migrate(db, path)).toThrow(/full/)
    expect(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count']).toBe(0)
    expect(db.isTransaction).toBe(false)
    db.exec('PRAGMA max_page_count = 1000')
    migrate(db, path)
    expect(db.prepare('PRAGMA user_version').get()?.['user_version']).toBe(MIGRATIONS.length)
    db.close()
  })

  it('set what a store needs to be durable on every connection', async () => {
    const connection = await connect({ path })
    expect(connection.db.prepare('PRAGMA journal_mode').get()?.['journal_mode']).toBe('wal')
    expect(connection.db.prepare('PRAGMA synchronous').get()?.['synchronous']).toBe(2)
    expect(connection.db.prepare('PRAGMA busy_timeout').get()?.['timeout']).toBeLessThanOrEqual(50)
    connection.close()
  })
})
