/** Far more than the server can do: it refuses with a time to come back, stays alive, and is itself again afterwards. */
import { load } from './load.ts'
import { servedProcess } from './served-process.ts'

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
  const limited = await servedProcess(project, `${state}-limited`, { KEELSON_RATE_PRINCIPAL: String(RATE) })
  const path = '/v1/executions'
  const rate = await load({ url: limited.url, path, body, concurrency: 4, forMs: Math.min(forMs, 1_000) })
  await limited.stop()

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
