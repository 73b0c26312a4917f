/**
 * Starts over HTTP beside the engine alone: both processes are up, and have laps in turn, so that a machine that is slower for a while is
 * slower for both. Told are the medians; the share is the median of the shares of each pair.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { load, type Load, type LoadResult } from './load.ts'
import { ROOT } from './served-process.ts'

/** Until the code of both is compiled: a server is up for days. */
const WARM_LAPS = 4
const LAPS = 12

export interface BesideEngine {
  readonly alonePerSecond: number
  readonly startsPerSecond: number
  readonly share: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly refused: number
}

interface Engine extends AsyncDisposable {
  lap(): Promise<number>
}

function engineAlone(folder: string, forMs: number, concurrency: number): Engine {
  const args = [join(ROOT, 'test/bench/server/engine-alone.ts'), folder, String(forMs), String(concurrency)]
  const engine = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]()
  return {
    lap: async () => {
      engine.stdin.write('lap\n')
      const { value, done } = await lines.next()
      if (done === true) throw new Error('the engine alone has ended')
      return Number(value)
    },
    [Symbol.asyncDispose]: async () => {
      const gone = once(engine, 'exit')
      engine.stdin.end()
      await gone
    },
  }
}

export async function besideEngine(folder: string, asked: Load): Promise<BesideEngine> {
  await using engine = engineAlone(folder, asked.forMs, asked.concurrency)
  const pairs: { readonly alone: number; readonly served: LoadResult }[] = []
  for (let lap = 0; lap < WARM_LAPS + LAPS; lap += 1) {
    const isEngineFirst = lap % 2 === 0
    const before = isEngineFirst ? await engine.lap() : undefined
    const served = await load(asked)
    const alone = before ?? (await engine.lap())
    if (lap >= WARM_LAPS) pairs.push({ alone, served })
  }
  return {
    alonePerSecond: median(pairs.map(({ alone }) => alone)),
    startsPerSecond: median(pairs.map(({ served }) => served.perSecond)),
    share: median(pairs.map(({ alone, served }) => served.perSecond / alone)),
    p50Ms: median(pairs.map(({ served }) => served.p50Ms)),
    p99Ms: median(pairs.map(({ served }) => served.p99Ms)),
    refused: pairs.reduce((sum, { served }) => sum + served.refused, 0),
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}
