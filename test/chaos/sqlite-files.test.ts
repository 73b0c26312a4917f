/**
 * SQLite files as they are met in the wild: damaged, foreign, newer, locked, read-only, on a full disk; and processes
 * that die in the middle or write at the same time. One clear error each, and the file as it was.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { newRun } from '../../src/testing/run-fixtures.ts'
import { creation, step } from '../../src/testing/store-case.ts'
import { BOOT_EVENTS, EVENTS_PER_RUN, RUNS_PER_BATCH } from './sqlite-child.ts'

const CHILD = join(import.meta.dirname, 'sqlite-child.ts')
const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-files-'))
  path = join(folder, 'keelson.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function child(...args: readonly string[]) {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

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
    const bytes = readFileSync(path)
    for (let page = Math.floor((bytes.length / 4096) * 0.6); page < bytes.length / 4096; page++)
      bytes.fill(0xff, page * 4096, page * 4096 + 200)
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
    const store = await openSqliteStore({ path, clock, lockMs: 300 })
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
  const result = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, 'try', path], {
    ...rights,
    encoding: 'utf8',
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
  const disk = spawnSync('unshare', [...mount, ...node, 'fill', path, 'disk'], { encoding: 'utf8' })
  if (disk.status === 0) return { how: 'a file system of 3 MB', lines: disk.stdout.trim().split('\n') }
  const pages = spawnSync(process.execPath, [...node.slice(1), 'fill', path, 'pages'], { encoding: 'utf8' })
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
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stdout.split('\n')[0]).toBe('STORE_FULL')
  })
})

function checkWholeBatches(worker: string, acknowledged: number): number {
  return raw((db) => {
    expect(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok')
    const counts = db
      .prepare(
        `SELECT r.run_id AS id, r.next_seq AS next, count(e.seq) AS events, max(e.seq) AS last
        FROM runs r LEFT JOIN events e USING (run_key) WHERE r.run_id GLOB ? GROUP BY r.run_key`,
      )
      .all(`${worker}-[0-9]*`)
    expect(counts.length).toBe(RUNS_PER_BATCH)
    const batches = Number(counts[0]?.['events']) / EVENTS_PER_RUN
    for (const { next, events, last } of counts) {
      expect(events).toBe(batches * EVENTS_PER_RUN)
      expect(next).toBe(Number(events) + 1)
      if (batches > 0) expect(last).toBe(events)
    }
    expect(batches).toBeGreaterThanOrEqual(acknowledged)
    expect(batches).toBeLessThanOrEqual(acknowledged + 1)
    const born = db
      .prepare(
        `SELECT count(e.seq) AS events FROM runs r LEFT JOIN events e USING (run_key)
        WHERE r.run_id GLOB ? GROUP BY r.run_key`,
      )
      .all(`${worker}-boot-*`)
    expect(born.map(({ events }) => events)).toEqual(Array.from({ length: batches }, () => BOOT_EVENTS))
    return batches
  })
}

describe('processes', () => {
  it('killed in the middle of appends leave whole batches and whole runs, every acknowledged one among them [STO-12]', async () => {
    let batches = 0
    for (let life = 0; life < 8; life++) {
      const worker = child('append', path, 'w')
      let acknowledged = batches
      const target = batches + 2 + life * 3
      for await (const line of createInterface({ input: worker.stdout })) {
        acknowledged = Number(line)
        if (acknowledged === target) worker.kill('SIGKILL')
      }
      expect(acknowledged).toBeGreaterThanOrEqual(target)
      expect(worker.signalCode ?? (await once(worker, 'exit'))[1]).toBe('SIGKILL')
      batches = checkWholeBatches('w', acknowledged)
    }
    expect(batches).toBeGreaterThan(50)
  })

  it('that open and append to one new file at the same time both get all they wrote', async () => {
    const workers = ['a', 'b'].map((name) => child('append', path, name, '40'))
    for (const worker of workers) worker.stdout.resume()
    const exits = await Promise.all(workers.map((worker) => once(worker, 'exit')))
    expect(exits.map(([code]) => Number(code))).toEqual([0, 0])
    for (const name of ['a', 'b']) expect(checkWholeBatches(name, 40)).toBe(40)
  })

  it('that write to one run never make a number appear below what a reader has seen [STO-08]', async () => {
    const store = await openSqliteStore({ path, clock })
    await store.commit([creation(newRun({ runId: 'r1' }), [])])
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })
    const runKey = row?.runKey ?? 0
    const workers = ['a', 'b'].map((name) => child('append-open', path, 'r1', name, '150'))
    let running = workers.length
    for (const worker of workers) {
      worker.stdout.resume()
      worker.once('exit', () => running--)
    }
    const seen: number[] = []
    for (let last = false; !last;) {
      last = running === 0
      for (const { runSeq } of await store.readEvents(runKey, { afterSeq: seen.at(-1) ?? 0 })) seen.push(runSeq)
      await new Promise(setImmediate)
    }
    const stored = raw((db) => db.prepare('SELECT seq FROM events WHERE run_key = ? ORDER BY seq').all(runKey))
    expect(stored.length).toBe(300)
    expect(seen).toEqual(stored.map(({ seq }) => seq))
    await store.close()
  })
})
