/**
 * Requests at a steady concurrency over kept connections, with the time of each and how it was answered. Who asks shares two cores with
 * the server, so it asks with as little work as it can.
 */
import { KeptConnection, type Answer } from './kept-connection.ts'

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** How many answers of each status; 0: no answer. */
  readonly statuses: Readonly<Record<number, number>>
  readonly refused: number
  /** Refusals that do not say when to come back. */
  readonly withoutRetryAfter: number
}

export interface Load {
  readonly url: string
  readonly path: string
  /** Absent: a GET. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly concurrency: number
  readonly forMs: number
}

export async function load({ url, path, body, headers = {}, concurrency, forMs }: Load): Promise<LoadResult> {
  const asked = requestOf(`${url}${path}`, body, headers)
  const times: number[] = []
  const statuses: Record<number, number> = {}
  let withoutRetryAfter = 0
  const began = performance.now()
  const note = ({ status, retryAfter }: Answer, at: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status >= 300 && retryAfter === undefined) withoutRetryAfter += 1
    times.push(performance.now() - at)
  }
  const worker = async (): Promise<void> => {
    const connection = new KeptConnection(new URL(url))
    while (performance.now() - began < forMs) {
      const at = performance.now()
      note(await connection.ask(asked), at)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const tookMs = performance.now() - began
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const refused = Object.entries(statuses).reduce(
    (sum, [status, count]) => (Number(status) >= 200 && Number(status) < 300 ? sum : sum + count),
    0,
  )
  return {
    perSecond: (times.length / tookMs) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    statuses,
    refused,
    withoutRetryAfter,
  }
}

function requestOf(url: string, body: string | undefined, given: NonNullable<Load['headers']>): string {
  const { host, pathname, search } = new URL(url)
  const ofBody =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host, ...given, ...ofBody }).map(([name, value]) => `${name}: ${value}`)
  const method = body === undefined ? 'GET' : 'POST'
  return [`${method} ${pathname}${search} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
}
