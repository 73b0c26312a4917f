/** SQLite files as they are met in the wild: damaged, foreign, newer, locked, read-only, on a full disk. One clear error each, and the file as it was. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation, step } from '../../src/testing/store/store-case.ts'
import { runChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'

const CHILD = join(import.meta.dirname, 'sqlite-child.ts')
const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let path = ''

beforeEach(() => {
  folder = testFolder()
  path = join(folder, 'keelson.db')
})

async function filled(): Promise<void> {
  const store = await openSqliteStore({ path, clock })
  const specs = Array.from({ length: 300 }, (_, index) => step('StepStarted', `s${index}`))
  await store.commit([creation(newRun({ runId: 'r1' }), specs)])
  await store.close()
}

async function refusal(open: () => Promise<RunStore> = () => openSqliteStore({ path, clock, lockMs: 200 })) {
  try {
    const store = await open()
    await store.close()
  } catch (error) {
    if (error instanceof KeelsonError) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'opened', message: '' }
}

async function refusedUnchanged(code: string, open?: () => Promise<RunStore>): Promise<void> {
  const before = readFileSync(path)
  const answer = await refusal(open)
  expect(answer.code).toBe(code)
  expect(answer.message).toContain(path)
  expect(readFileSync(path).equals(before)).toBe(true)
}

function raw<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

describe('a file that cannot be used', () => {
  it.each([
    ['text', Buffer.from('this is not a database, though it is long enough to be read as one '.repeat(20))],
    ['one byte', Buffer.from('x')],
    ['zeros', Buffer.alloc(8192)],
  ])('is refused as STORE_CORRUPT and left alone: %s', async (_, bytes) => {
    writeFileSync(path, bytes)
    await refusedUnchanged('STORE_CORRUPT')
  })

  it('is refused as STORE_CORRUPT when it was cut short', async () => {
    await filled()
    const { length } = readFileSync(path)
    for (const size of [length - 4096, Math.floor(length / 2), 4096, 600, 50]) {
      truncateSync(path, size)
      await refusedUnchanged('STORE_CORRUPT')
    }
  })

  it('is refused as STORE_CORRUPT when it was emptied beside its write-ahead log', async () => {
    const store = await openSqliteStore({ path, clock })
    await store.commit([creation(newRun({ runId: 'r1' }))])
    const orphan = join(folder, 'orphan.db')
    copyFileSync(`${path}-wal`, `${orphan}-wal`)
    writeFileSync(orphan, '')
    await store.close()
    const before = readFileSync(`${orphan}-wal`)
    expect((await refusal(() => openSqliteStore({ path: orphan, clock }))).code).toBe('STORE_CORRUPT')
    expect(readFileSync(`${orphan}-wal`).equals(before)).toBe(true)
  })

  it("is refused as STORE_CORRUPT when it is another program's database", async () => {
    raw((db) => db.exec('CREATE TABLE notes (text TEXT)'))
    await refusedUnchanged('STORE_CORRUPT')
    raw((db) => db.exec('PRAGMA application_id = 7; PRAGMA user_version = 4'))
    await refusedUnchanged('STORE_CORRUPT')
  })

  it('is refused as STORE_SCHEMA_NEWER when a newer version wrote it', async () => {
    await filled()
    raw((db) => db.exec('PRAGMA user_version = 99'))
    await refusedUnchanged('STORE_SCHEMA_NEWER')
  })

  it('is refused as STORE_DURABILITY when it cannot keep a write-ahead log', async () => {
    const answer = await refusal(() => openSqliteStore({ path: ':memory:', clock }))
    expect(answer.code).toBe('STORE_DURABILITY')
  })

  it('is refused as STORE_NOT_FOUND when only to be read and not there, and nothing is made', async () => {
    const answer = await refusal(() => openSqliteStore({ path, clock, readOnly: true }))
    expect(answer.code).toBe('STORE_NOT_FOUND')
    expect(existsSync(path)).toBe(false)
  })
})

describe('a damaged page', () => {
  it('is reported when it is read, not served', async () => {
    await filled()
    const reader = new DatabaseSync(path)
    const { rootpage } = reader.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'appends'").get() as {
      readonly rootpage: number
    }
    reader.close()
    const bytes = readFileSync(path)
    bytes.fill(0xff, (rootpage - 1) * 4096, (rootpage - 1) * 4096 + 200)
    writeFileSync(path, bytes)
    const store = await openSqliteStore({ path, clock })
    const read = async () => {
      const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })
      return store.readEvents(row?.runKey ?? 1, {})
    }
    await expect(read()).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    await store.close()
  })
})

describe('a lock held elsewhere', () => {
  it('is waited for without blocking, then given up as STORE_LOCKED, and nothing is written', async () => {
    const store = await openSqliteStore({ path, clock, lockMs: 1_500 })
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    let turns = 0
    const counting = setInterval(() => turns++, 1)
    await expect(store.commit([creation(newRun({ runId: 'r1' }))])).rejects.toMatchObject({ code: 'STORE_LOCKED' })
    clearInterval(counting)
    expect(turns).toBeGreaterThan(3)
    const waiting = store.commit([creation(newRun({ runId: 'r2' }))])
    setImmediate(() => other.exec('COMMIT'))
    expect((await waiting)[0]?.kind).toBe('committed')
    expect(await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })).toBeUndefined()
    other.close()
    await store.close()
  })

  it('keeps the store from opening only as long as it lasts', async () => {
    await filled()
    const other = new DatabaseSync(path)
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const before = readFileSync(path)
    expect((await refusal()).code).toBe('STORE_LOCKED')
    expect(readFileSync(path).equals(before)).toBe(true)
    other.exec('COMMIT')
    other.close()
    expect((await refusal()).code).toBe('opened')
  })
})

/** Root may write everywhere, so a process without its rights tries. */
function tryAsNobody(): { readonly status: number | null; readonly out: string } {
  const rights = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const result = runChild(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, 'try', path], {
    ...rights,
    cwd: tmpdir(),
  })
  return { status: result.status, out: `${result.stdout}${result.stderr}` }
}

describe('a place that may not be written', () => {
  it('is refused as STORE_READ_ONLY: the file, its folder, or the folder it should be made in', async () => {
    await filled()
    chmodSync(folder, 0o777)
    chmodSync(path, 0o666)
    expect(tryAsNobody()).toEqual({ status: 0, out: 'written\n' })
    const before = readFileSync(path)
    const refused = (): void => {
      const { status, out } = tryAsNobody()
      expect(out).toMatch(/^STORE_READ_ONLY: .*keelson\.db/)
      expect(status).toBe(1)
    }
    chmodSync(path, 0o444)
    refused()
    chmodSync(path, 0o666)
    chmodSync(folder, 0o555)
    refused()
    expect(readFileSync(path).equals(before)).toBe(true)
    chmodSync(folder, 0o755)
    const inner = join(folder, 'closed')
    mkdirSync(inner, { mode: 0o555 })
    path = join(inner, 'keelson.db')
    refused()
    path = join(inner, 'new', 'keelson.db')
    refused()
  })

  it('refuses every write of a store opened to be read, and still answers', async () => {
    await filled()
    const store = await openSqliteStore({ path, clock, readOnly: true })
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })
    expect(row?.nextSeq).toBe(301)
    const commit = store.commit([creation(newRun({ runId: 'r2' }))])
    await expect(commit).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await store.close()
  })
})

/** A file system of 3 MB of its own where the kernel lets us make one, else a limit inside SQLite. */
function fillUp(): { readonly how: string; readonly lines: readonly string[] } {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', CHILD]
  const mount = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"', folder]
  const disk = runChild('unshare', [...mount, ...node, 'fill', path, 'disk'])
  if (disk.status === 0) return { how: 'a file system of 3 MB', lines: disk.stdout.trim().split('\n') }
  const pages = runChild(process.execPath, [...node.slice(1), 'fill', path, 'pages'])
  return { how: `max_page_count (${disk.stderr.trim()})`, lines: pages.stdout.trim().split('\n') }
}

describe('a full disk', () => {
  it('is STORE_FULL: the append is undone whole, and the same handle goes on when there is room', () => {
    const { how, lines } = fillUp()
    console.log(`disk full by ${how}: ${lines.join(' | ')}`)
    const [code, counts = '', after] = lines
    expect(code).toBe('STORE_FULL')
    const [done, listed, integrity] = counts.split(' ')
    expect(Number(done)).toBeGreaterThan(10)
    expect(listed).toBe(done)
    expect(integrity).toBe('ok')
    expect(Number(after)).toBe(Number(done) + 1)
  })

  it('is STORE_FULL also where only SQLite itself sets the limit', () => {
    const args = ['--disable-warning=ExperimentalWarning', CHILD, 'fill', path, 'pages']
    const { stdout } = runChild(process.execPath, args)
    expect(stdout.split('\n')[0]).toBe('STORE_FULL')
  })
})
