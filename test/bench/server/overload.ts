/** Far more than the server can do: it refuses with a time to come back, stays alive, and is itself again afterwards. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { load, type Load, type LoadResult } from './load.ts'
import { ROOT, servedProcess } from './served-process.ts'

const CONNECTIONS = 2_000
const RATE = 10
const RECOVERED_MS = 60_000

export interface Overload {
  /** Requests in a minute that a principal had, and how a second of more was answered. */
  readonly rate: Readonly<Record<number, number>>
  readonly flood: Readonly<Record<number, number>>
  readonly refusalsWithoutRetryAfter: number
  readonly healthDuringFlood: number
  /** After the flood, until a start is accepted again. */
  readonly recoveredMs: number
}

export async function overload(project: string, state: string, body: string, forMs: number): Promise<Overload> {
  const path = '/v1/executions'
  const rate = await limited(project, `${state}-limited`, { path, body, concurrency: 4, forMs: Math.min(forMs, 1_000) })
  const server = await servedProcess(project, state)
  const { url } = server
  const flooding = load({ url, path, body, concurrency: CONNECTIONS, forMs })
  const health = await fetch(`${url}/healthz`)
  const flood = await flooding
  const began = performance.now()
  let status = 0
  while (status !== 202 && performance.now() - began < RECOVERED_MS)
    status = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).then(
      (answer) => answer.status,
      () => 0,
    )
  await server.stop()
  return {
    rate: rate.statuses,
    flood: flood.statuses,
    refusalsWithoutRetryAfter: rate.withoutRetryAfter + flood.withoutRetryAfter,
    healthDuringFlood: health.status,
    recoveredMs: status === 202 ? Math.round(performance.now() - began) : Infinity,
  }
}

/** The local user has no limit, so this one comes with a key. */
async function limited(project: string, state: string, given: Omit<Load, 'url' | 'headers'>): Promise<LoadResult> {
  const create = ['keys', 'create', '--tenant', 'acme', '--role', 'Admin', '--dir', state, '--json']
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'bin/keelson.js'), ...create], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [key] = /kls_\w+/.exec(stdout) ?? []
  const settings = { KEELSON_AUTH_KEYS: 'true', KEELSON_RATE_PRINCIPAL: String(RATE) }
  const server = await servedProcess(project, state, settings)
  const result = await load({ ...given, url: server.url, headers: { authorization: `Bearer ${key ?? ''}` } })
  await server.stop()
  return result
}
