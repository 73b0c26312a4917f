/**
 * One connection to a database file: durable or refused, statements prepared once, one transaction at a time. A lock
 * held elsewhere is awaited briefly in SQLite, then without blocking the process, then given up as STORE_LOCKED.
 */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fail } from '../../../core/problems/problem.ts'
import { linkAt } from '../../../core/state-link.ts'
import { isBusy, needsRollback, storeFailure, unwritable } from './failure.ts'
import { inspect, migrate } from './migrate.ts'
import { openReadOnly } from './open-read-only.ts'
import { WAL_LIMITS, watchWal, type WalLimits } from './wal.ts'
import { statement, type Statement } from './statement.ts'

export interface ConnectOptions {
  readonly path: string
  /** `if-needed`: read-only where the file or its folder cannot be written. */
  readonly readOnly?: boolean | 'if-needed'
  /** How long a call waits for a lock in total. */
  readonly lockMs?: number
  /** When the write-ahead log is emptied deliberately. */
  readonly wal?: WalLimits
}

export interface Connection {
  readonly path: string
  readonly readOnly: boolean
  readonly db: DatabaseSync
  /** The prepared statement of a text; always the same one. */
  sql(text: string): Statement
  read<T>(work: () => T): Promise<T>
  /** BEGIN IMMEDIATE … COMMIT. `work` runs more than once only if it never began to write. */
  write<T>(work: () => T): Promise<T>
  close(): void
}

const BUSY_TIMEOUT_MS = 25
const RETRY_MS = 5
const LOCK_MS = 5000

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { path, lockMs = LOCK_MS, wal = WAL_LIMITS } = options
  const { readOnly: asked = false } = options
  refuseLinks(path)
  const readOnly = asked === 'if-needed' ? existsSync(path) && unwritable(path) !== undefined : asked
  if (!existsSync(path)) {
    if (readOnly) fail('STORE_NOT_FOUND', `There is no database ${path}.`)
    makeFolder(path)
    makePrivate(path)
  } else {
    if (!readOnly) requireWritable(path)
    refuseCutFile(path)
    if (!readOnly) await guarded(path, lockMs, () => inspectFile(path))
  }
  if (readOnly) {
    const { db, dispose } = await guarded(path, lockMs, () => openReadOnly(path, BUSY_TIMEOUT_MS))
    return connection(db, { path, readOnly, lockMs, afterCommit: () => undefined, dispose })
  }
  const db = await guarded(path, lockMs, () => prepare(path))
  const afterCommit = watchWal(db, path, wal)
  return connection(db, { path, readOnly, lockMs, afterCommit, dispose: () => undefined })
}

function makeFolder(path: string): void {
  try {
    makeWay(dirname(path))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    fail('STORE_READ_ONLY', `The folder of the database ${path} cannot be made (${why}).`)
  }
}

/** Node's own recursive mkdir never returns where a created folder is still missing, as below /proc. */
function makeWay(folder: string): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  if (dirname(folder) !== folder) makeWay(dirname(folder))
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    // Another process may have been faster.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:'
const BESIDE = ['', '-wal', '-shm', '-journal'] as const

/** SQLite would follow a link and write wherever it leads. */
function refuseLinks(path: string): void {
  // Code that creates the folder reports what is in its place.
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const suffix of BESIDE)
    if (lstatSync(path + suffix, { throwIfNoEntry: false })?.isSymbolicLink() === true) linkAt(path + suffix)
}

/** Private to its owner from the first byte; SQLite gives the files beside it the same permissions. */
function makePrivate(path: string): void {
  if (path === IN_MEMORY) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // Another process may have been faster; if the file cannot be created here, SQLite cannot create it either, and
    // says why.
  }
}

/** SQLite opens a file without write permission for reading, and says so only at the first commit. */
function requireWritable(path: string): void {
  const [code, what] = unwritable(path) ?? []
  if (code !== undefined) fail(code, `The database ${path} ${what}.`)
}

const SMALLEST_PAGE_BYTES = 512

/**
 * SQLite takes a file without a whole page for an empty one: it would overwrite it and delete the log beside it. The log is asked
 * first: a process that makes the database at this moment writes the first page before the log, so it never looks like a cut file.
 */
function refuseCutFile(path: string): void {
  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const logSize = sizeOf(`${path}-wal`)
  const size = sizeOf(path)
  if (size === 0 && logSize > 0)
    fail('STORE_CORRUPT', `The database ${path} is empty, but its write-ahead log is not: the file was cut.`)
  if (size > 0 && size < SMALLEST_PAGE_BYTES)
    fail('STORE_CORRUPT', `The file ${path} has ${size} bytes: it is not a database, or it is damaged.`)
}

/** Only reads: the file is not changed before we know that it is ours. */
function inspectFile(path: string): void {
  try {
    inspectAs(path, true)
  } catch (error) {
    if (!needsRollback(error)) throw error
    // Its maker died before the first page was whole. SQLite takes that back for whoever may write, and does nothing else.
    inspectAs(path, false)
  }
}

function inspectAs(path: string, readOnly: boolean): void {
  const db = new DatabaseSync(path, { readOnly })
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    inspect(db, path)
  } finally {
    db.close()
  }
}

function prepare(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    makeDurable(db, path)
    migrate(db, path)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** About 16 MB of log between checkpoints: hot pages are copied into the file once, not once per commit. */
const CHECKPOINT_PAGES = 4000

/** Read back, because SQLite silently keeps the old value of a setting it cannot change. */
function makeDurable(db: DatabaseSync, path: string): void {
  const journal = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  if (journal !== 'wal')
    fail('STORE_DURABILITY', `The database ${path} cannot use a write-ahead log (journal_mode is ${String(journal)}).`)
  db.exec('PRAGMA synchronous = FULL')
  const level = db.prepare('PRAGMA synchronous').get()?.['synchronous']
  if (level !== 2) fail('STORE_DURABILITY', `The database ${path} has synchronous = ${String(level)}, not FULL (2).`)
  db.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = 67108864`)
}

async function guarded<T>(path: string, lockMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + lockMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw storeFailure(error, path)
    }
    await pause(RETRY_MS)
  }
}

interface Opened {
  readonly path: string
  readonly readOnly: boolean
  readonly lockMs: number
  readonly afterCommit: () => void
  readonly dispose: () => void
}

function connection(db: DatabaseSync, opening: Opened): Connection {
  const { path, readOnly, lockMs, afterCommit, dispose } = opening
  const statements = new Map<string, Statement>()
  const sql = (text: string): Statement => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const made = statement(db, text)
    statements.set(text, made)
    return made
  }
  const open = (): void => {
    if (!db.isOpen) fail('STORE_CLOSED', `The store on ${path} was closed.`)
  }
  return {
    path,
    readOnly,
    db,
    sql,
    read: (work) =>
      guarded(path, lockMs, () => {
        open()
        return work()
      }),
    // Begin and commit are in one turn of the event loop: no other call can come between them on this handle.
    write: (work) =>
      guarded(path, lockMs, () => {
        open()
        if (readOnly) fail('STORE_READ_ONLY', `The database ${path} was opened for reading.`)
        sql('BEGIN IMMEDIATE').run()
        const answer = inTransaction(db, path, sql, work)
        afterCommit()
        return answer
      }),
    close: () => {
      if (!db.isOpen) return
      db.close()
      dispose()
    },
  }
}

function inTransaction<T>(db: DatabaseSync, path: string, sql: Connection['sql'], work: () => T): T {
  try {
    const answer = work()
    sql('COMMIT').run()
    return answer
  } catch (error) {
    // On a full disk SQLite ends the transaction itself; a second ROLLBACK would hide the first error.
    if (db.isTransaction) sql('ROLLBACK').run()
    throw storeFailure(error, path)
  }
}
