/**
 * One process under a steady load of one-step runs, 100 at a time, on SQLite: how many it ends a second, and what it holds
 * after each part of the time. Needs `--expose-gc`: without a collection garbage would be counted as held.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { loadPlan, openKeelson } from '../../../src/main.ts'

export interface SteadyLoad {
  readonly directory: string
  readonly smallHeap: boolean
  readonly partMs: number
  readonly parts: number
}

export interface HeldBytes {
  readonly runs: number
  /** The largest seen. */
  readonly young: number
  readonly resident: number
  /** After a collection. */
  readonly live: number
}

const AT_ONCE = 100
const LOOK_MS = 20

const { directory, smallHeap, partMs, parts } = JSON.parse(process.argv[2] ?? '{}') as SteadyLoad
const PLAN = loadPlan(JSON.stringify({ plan: 'one', version: '1.0.0', steps: [{ id: 'a', run: 'f' }] }))
const keelson = await openKeelson({ directory, smallHeap, steps: { f: () => ({ done: true }) } })

const young = (): number => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0

async function loaded(): Promise<HeldBytes> {
  const until = performance.now() + partMs
  let runs = 0
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const { status } = await (await keelson.start(PLAN)).result()
      if (status !== 'COMPLETED') throw new Error(`a run ended as ${status}`)
      runs += 1
    }
  }
  const largest = { young: 0, resident: 0 }
  const look = async (): Promise<void> => {
    while (performance.now() < until) {
      largest.young = Math.max(largest.young, young())
      largest.resident = Math.max(largest.resident, process.memoryUsage.rss())
      await pause(LOOK_MS)
    }
  }
  await Promise.all([look(), ...Array.from({ length: AT_ONCE }, one)])
  globalThis.gc?.()
  return { runs, ...largest, live: process.memoryUsage().heapUsed }
}

const held: HeldBytes[] = []
for (let part = 0; part < parts; part++) held.push(await loaded())
process.stdout.write(JSON.stringify(held))
await keelson.close()
