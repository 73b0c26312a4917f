/** Starts of other servers, at the same concurrency as those of `keelson serve`: how many are accepted, and how long one takes. */

export interface PeerStarts {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const WARM_UP_MS = 1_000

export async function peerStarts(start: () => Promise<void>, concurrency: number, forMs: number): Promise<PeerStarts> {
  const times: number[] = []
  const timed = async (): Promise<void> => {
    const at = performance.now()
    await start()
    times.push(performance.now() - at)
  }
  const until = async (ms: number): Promise<number> => {
    times.length = 0
    const began = performance.now()
    const worker = async (): Promise<void> => {
      while (performance.now() - began < ms) await timed()
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return performance.now() - began
  }
  await until(Math.min(forMs, WARM_UP_MS))
  const tookMs = await until(forMs)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return { perSecond: (sorted.length / tookMs) * 1_000, p50Ms: at(0.5), p99Ms: at(0.99) }
}
