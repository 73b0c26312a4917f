/**
 * A Temporal server on this machine, for newcomers and tests: its program is found or built, started on loopback,
 * waited for, and stopped by its own process id. It is Temporal's development server, not one for production.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'

/** Newer versions cannot be built from their module alone. */
const MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'
const SUFFIX = process.platform === 'win32' ? '.exe' : ''
const READY_MS = 60_000
const READY_STEP_MS = 50

export interface FindOptions {
  /** Where a program that was built here is cached. */
  readonly cache?: string
  /** Called before the build, which takes minutes. */
  readonly tell?: (line: string) => void
}

/** Looks at KEELSON_TEMPORAL_BIN, on PATH and in the cache; otherwise Go builds it into the cache. */
export function findTemporal({ cache = ownCache(), tell }: FindOptions = {}): string {
  const given = process.env['KEELSON_TEMPORAL_BIN']
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    return fail('TEMPORAL_SERVER_MISSING', `KEELSON_TEMPORAL_BIN names ${given}, which does not exist`)
  }
  const built = join(cache, `temporal${SUFFIX}`)
  return onPath() ?? (existsSync(built) ? built : build(cache, built, tell))
}

function ownCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'keelson')
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, `temporal${SUFFIX}`)).find((path) => existsSync(path))
}

function build(cache: string, built: string, tell: FindOptions['tell']): string {
  const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0
  if (hasGo) {
    tell?.('building the Temporal server with Go, once; this takes some minutes …')
    mkdirSync(cache, { recursive: true })
    const env = { ...process.env, CGO_ENABLED: '0', GOBIN: cache }
    spawnSync('go', ['install', '-ldflags', '-s -w', MODULE], { cwd: cache, env, stdio: 'ignore' })
  }
  if (existsSync(built)) return built
  const why = hasGo ? 'it could not be built' : 'there is no Go to build it with'
  return fail('TEMPORAL_SERVER_MISSING', `the program \`temporal\` is not installed, and ${why}`)
}

export interface ServerOptions {
  readonly program: string
  readonly port: number
  /** Keeps its data in this file; without one the data disappear with the server. */
  readonly file?: string
  /** Serves Temporal's own pages on this port. */
  readonly uiPort?: number
  readonly cwd?: string
}

export interface TemporalProcess {
  readonly address: string
  readonly pid: number
  /** Resolves when the server is gone, for whatever reason. */
  readonly gone: Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

export async function startTemporalServer(options: ServerOptions): Promise<TemporalProcess> {
  const { program, port, file, uiPort, cwd } = options
  for (const one of [port, uiPort]) if (one !== undefined) await needFree(one)
  const pages = uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]
  const data = file === undefined ? [] : ['--db-filename', file]
  const quiet = ['--ip', '127.0.0.1', '--log-level', 'error']
  const words = ['server', 'start-dev', ...quiet, '--port', String(port), ...pages, ...data]
  const server = spawn(program, words, { stdio: 'ignore', ...(cwd === undefined ? {} : { cwd }) })
  const orphaned = (): void => void server.kill('SIGKILL')
  process.once('exit', orphaned)
  const gone = once(server, 'exit').then(() => void process.removeListener('exit', orphaned))
  const address = `127.0.0.1:${port}`
  await ready(program, server, address)
  return {
    address,
    pid: server.pid ?? 0,
    gone,
    stop: async (signal = 'SIGTERM') => {
      if (server.exitCode !== null || server.signalCode !== null) return
      server.kill(signal)
      await gone
    },
  }
}

async function ready(program: string, server: ChildProcess, address: string): Promise<void> {
  const health = ['operator', 'cluster', 'health', '--address', address]
  for (const deadline = Date.now() + READY_MS; ;) {
    if (server.exitCode !== null)
      fail('TEMPORAL_CLIENT_NOT_CONNECTED', `the Temporal server for ${address} ended with code ${server.exitCode}`)
    if (spawnSync(program, health, { stdio: 'ignore' }).status === 0) return
    if (Date.now() > deadline)
      fail('TEMPORAL_CLIENT_NOT_CONNECTED', `the Temporal server at ${address} did not answer within ${READY_MS} ms`)
    await pause(READY_STEP_MS)
  }
}

/**
 * Checked before the start: the server's own error message is lost, and another program on the port would be taken for
 * it.
 */
async function needFree(port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code ?? error.message})`
      reject(new KeelsonError([problem('TEMPORAL_PORT_TAKEN', `port ${port} of this machine ${why}`)]))
    })
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()))
  })
}
