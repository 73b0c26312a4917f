/**
 * A real toxiproxy for tests, on a free port of loopback: connections that are cut while an answer is on its way. It is
 * looked for in KEELSON_TOXIPROXY_BIN, on PATH and in the cache, then built into the cache by Go. In CI a missing one
 * fails; elsewhere it is said loudly, and the caller leaves its part out where everybody can see it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ownPort } from './own-port.ts'

export interface Toxic {
  readonly type: 'timeout' | 'limit_data' | 'reset_peer' | 'latency'
  readonly stream: 'upstream' | 'downstream'
  readonly attributes: Readonly<Record<string, number>>
}

/** One way to the server. Whatever goes through it can be spoilt. */
export interface Proxy {
  readonly port: number
  /** From now on and for every connection, those that are open among them. */
  spoil(toxic: Toxic): Promise<void>
  /** Closes every connection and takes the toxics away: what comes next is a clean connection. */
  heal(): Promise<void>
}

export interface Toxiproxy {
  proxy(name: string, upstreamPort: number): Promise<Proxy>
  stop(): Promise<void>
}

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'toxiproxy')
const PACKAGE = 'github.com/Shopify/toxiproxy/v2/cmd/server@latest'
const SUFFIX = process.platform === 'win32' ? '.exe' : ''
const READY_MS = 120_000
const READY_STEP_MS = 20

/** Undefined where it cannot be had, outside CI. */
export async function startToxiproxy(): Promise<Toxiproxy | undefined> {
  const binary = findBinary()
  if (binary === undefined) return missing()
  const port = await ownPort()
  const server = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' })
  // A test process that dies must not leave a proxy behind.
  const orphaned = (): void => void server.kill('SIGKILL')
  process.once('exit', orphaned)
  server.once('exit', () => process.removeListener('exit', orphaned))
  const ask = api(port)
  await ready(server, ask)
  return {
    proxy: async (name, upstreamPort) => {
      const listen = await ownPort()
      const body = { name, listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${upstreamPort}`, enabled: true }
      await ask('POST', '/proxies', body)
      return proxyOn(ask, name, listen)
    },
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return
      const gone = once(server, 'exit')
      server.kill('SIGTERM')
      await gone
    },
  }
}

type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>

function proxyOn(ask: Ask, name: string, port: number): Proxy {
  const toxics = new Set<string>()
  return {
    port,
    spoil: async ({ type, stream, attributes }) => {
      const toxic = `${type}-${stream}`
      await ask('POST', `/proxies/${name}/toxics`, { name: toxic, type, stream, toxicity: 1, attributes })
      toxics.add(toxic)
    },
    heal: async () => {
      // Before the toxics go: a stream with a hole in it would go on as if nothing were missing.
      await ask('POST', `/proxies/${name}`, { enabled: false })
      // The last one first: one that lets nothing through would hold what the one before it must give away to go.
      for (const toxic of [...toxics].reverse()) await ask('DELETE', `/proxies/${name}/toxics/${toxic}`)
      toxics.clear()
      await ask('POST', `/proxies/${name}`, { enabled: true })
    },
  }
}

function api(port: number): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`toxiproxy answered ${answer.status} to ${method} ${path}: ${text}`)
    return text
  }
}

async function ready(server: ChildProcess, ask: Ask): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ;) {
    if (server.exitCode !== null) throw new Error(`toxiproxy ended with code ${server.exitCode} before it was ready`)
    const answers = await ask('GET', '/version').then(
      () => true,
      () => false,
    )
    if (answers) return
    if (Date.now() > deadline) throw new Error(`toxiproxy did not answer within ${READY_MS} ms`)
    await pause(READY_STEP_MS)
  }
}

function findBinary(): string | undefined {
  const given = process.env['KEELSON_TOXIPROXY_BIN']
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`KEELSON_TOXIPROXY_BIN names ${given}, which is not there`)
    return given
  }
  return installed() ?? cached() ?? build()
}

function installed(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, `toxiproxy-server${SUFFIX}`)).find((path) => existsSync(path))
}

function cached(): string | undefined {
  const path = join(CACHE, `server${SUFFIX}`)
  return existsSync(path) ? path : undefined
}

function build(): string | undefined {
  mkdirSync(CACHE, { recursive: true })
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: CACHE }
  spawnSync('go', ['install', PACKAGE], { cwd: CACHE, env, stdio: 'ignore' })
  return cached()
}

function missing(): undefined {
  const line = 'toxiproxy is not installed and could not be built (no Go?): lost answers are NOT tested.'
  process.stderr.write(`\n*** ${line} Name its binary in KEELSON_TOXIPROXY_BIN. ***\n\n`)
  if (process.env['CI'] === 'true') throw new Error(line)
  return undefined
}
