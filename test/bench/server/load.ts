/** Requests at a steady concurrency over kept connections, with the time of each. */
import { Agent, request } from 'node:http'

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: number
}

export interface Load {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly concurrency: number
  readonly forMs: number
}

export async function load({ url, path, body, concurrency, forMs }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const times: number[] = []
  let refused = 0
  const began = performance.now()
  const worker = async (): Promise<void> => {
    while (performance.now() - began < forMs) {
      const at = performance.now()
      const status = await post(agent, `${url}${path}`, body)
      if (status >= 300) refused += 1
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const tookMs = performance.now() - began
  agent.destroy()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { perSecond: (times.length / tookMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99), refused }
}

function post(agent: Agent, url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
