/**
 * A process that opens a store as a program would, with runs waiting in it, and tells when it was ready, when a run that
 * was due had gone on and ended, and how much memory it took. Told to, it then starts runs that wait for a day.
 */
import { loadPlan, openKeelson, type Keelson } from '../../../src/main.ts'

export interface BootOptions {
  readonly directory: string
  readonly dueRunId: string
  /** Runs to start besides. */
  readonly start: number
}

export interface BootTold {
  readonly readyMs: number
  readonly wokenMs: number
  readonly rssMb: number
  /** What is really kept, after a collection: before runs were started and after. */
  readonly heapMb: number
  readonly startedHeapMb: number
}

const AT_ONCE = 100
const WARM_UP = 2_000
const WAITS = loadPlan(`
plan: waits-a-day
version: 1.0.0
steps: [{ id: pause, wait: { forMs: 86400000 } }]`)

const sinceStart = (): number => performance.now()

/** Needs `--expose-gc`: without a collection garbage would be counted. */
function heapMb(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

async function startMany(keelson: Keelson, count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => keelson.start(WAITS)))
}

async function boot({ directory, dueRunId, start }: BootOptions): Promise<BootTold> {
  const keelson = await openKeelson({ directory })
  const readyMs = sinceStart()
  const result = await (await keelson.run(dueRunId)).result()
  if (result.status !== 'COMPLETED') throw new Error(`the due run ended ${result.status}`)
  const wokenMs = sinceStart()
  const told = { readyMs, wokenMs, rssMb: process.memoryUsage.rss() / 1e6 }
  // The first of a kind fill caches; what counts is what each further one leaves behind.
  if (start > 0) await startMany(keelson, WARM_UP)
  const before = heapMb()
  await startMany(keelson, start)
  const after = heapMb()
  await keelson.close()
  return { ...told, heapMb: before, startedHeapMb: after }
}

process.stdout.write(`${JSON.stringify(await boot(JSON.parse(process.argv[2] ?? '') as BootOptions))}\n`)
