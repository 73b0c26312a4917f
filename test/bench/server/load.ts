/** Requests at a steady concurrency over kept connections, with the time of each and how it was answered. */
import { Agent, request, type IncomingMessage } from 'node:http'

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

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
}

export async function load({ url, path, body, headers = {}, concurrency, forMs }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const times: number[] = []
  const statuses: Record<number, number> = {}
  let withoutRetryAfter = 0
  const began = performance.now()
  const worker = async (): Promise<void> => {
    while (performance.now() - began < forMs) {
      const at = performance.now()
      const { status, retryAfter } = await ask(agent, `${url}${path}`, body, headers)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status >= 300 && retryAfter === undefined) withoutRetryAfter += 1
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const tookMs = performance.now() - began
  agent.destroy()
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

function ask(agent: Agent, url: string, body: string | undefined, given: Load['headers']): Promise<Answer> {
  return new Promise((resolve) => {
    const ofBody =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const headers = { ...given, ...ofBody }
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(url, { agent, method, headers }, (response: IncomingMessage) => {
      response.resume()
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }),
      )
    })
    sent.on('error', () => resolve({ status: 0, retryAfter: undefined }))
    sent.end(body)
  })
}
