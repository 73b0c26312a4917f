/**
 * One contender, one process, one lap: each shape of work is warmed up and then measured, and the figures are printed as a
 * line of JSON. A contender that did not call every step exactly once has not taken part: the lap fails.
 */
import { Windows, type Happenings } from './happenings.ts'
import { AT_ONCE, CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type OpenContender } from './contender.ts'

/** Loaded when asked for: the memory of one process is the memory of one contender. */
export const CONTENDERS = {
  'keelson-sqlite': async () => (await import('./keelson.ts')).keelsonOnSqlite,
  'openworkflow-sqlite': async () => (await import('./openworkflow.ts')).openworkflowOnSqlite,
  'keelson-small-sqlite': async () => (await import('./keelson.ts')).smallOnSqlite,
  'keelson-small-postgres': async () => (await import('./keelson.ts')).smallOnPostgres,
  'keelson-postgres': async () => (await import('./keelson.ts')).keelsonOnPostgres,
  'dbos-postgres': async () => (await import('./dbos.ts')).dbosOnPostgres,
  'openworkflow-postgres': async () => (await import('./openworkflow.ts')).openworkflowOnPostgres,
  restate: async () => (await import('./restate.ts')).restateOnItsLog,
  'bare-sqlite': async () => (await import('./bare.ts')).bareOnSqlite,
  'bare-postgres': async () => (await import('./bare.ts')).bareOnPostgres,
} as const satisfies Readonly<Record<string, () => Promise<OpenContender>>>

export type ContenderName = keyof typeof CONTENDERS

export interface LapOptions {
  readonly contender: ContenderName
  readonly place: string
  /** How long each shape is measured; warming up takes half as long. */
  readonly forMs: number
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
}

export interface Lap {
  readonly runsPerSecond: number
  readonly chainStepsPerSecond: number
  readonly fanStepsPerSecond: number
  /** Milliseconds from start to end of one run at a time. */
  readonly oneStepMs: Percentiles
  /** The same while chains of 1,000 steps run beside it: checkpoints, snapshots and collections fall into this time. */
  readonly besideMs: Percentiles
  readonly tenStepsMs: Percentiles
  /** Milliseconds a step of the chain takes more than calling its function. */
  readonly overheadMs: Percentiles
  /** Processor time of the contender's process for one run of the first shape: what a busy machine changes least. */
  readonly cpuMsPerRun: number
  /** Right after the many one-step runs. */
  readonly rssMb: number
  readonly peakRssMb: number
  /** What fell into the windows of (a), (b), (d) and (d) beside a chain. */
  readonly during: Readonly<Record<LapWindow, Happenings>>
}

export const LAP_WINDOWS = ['a', 'd', 'b', 'beside'] as const
export type LapWindow = (typeof LAP_WINDOWS)[number]

const SAMPLES_MIN = 20

const called: number[] = []
const work = async (): Promise<number> => called.push(performance.now())

function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999) }
}

/** As many runs as fit into the time, so many at once; how many there were and how long they took. */
async function keepBusy(run: () => Promise<unknown>, steps: number, atOnce: number, forMs: number): Promise<Busy> {
  called.length = 0
  const times: number[] = []
  const began = performance.now()
  const lane = async (): Promise<void> => {
    do {
      const from = performance.now()
      await run()
      times.push(performance.now() - from)
    } while (performance.now() - began < forMs)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  const seconds = (performance.now() - began) / 1000
  if (called.length !== times.length * steps)
    throw new Error(`${times.length} runs of ${steps} steps made ${called.length} calls`)
  return { runs: times.length, seconds, times }
}

interface Busy {
  readonly runs: number
  readonly seconds: number
  readonly times: readonly number[]
}

async function oneAfterAnother(run: () => Promise<unknown>, steps: number, forMs: number): Promise<Percentiles> {
  const times: number[] = []
  while (times.length < SAMPLES_MIN) times.push(...(await keepBusy(run, steps, 1, forMs)).times)
  return percentiles(times)
}

async function oneBeside({ oneStep, chain }: Contender, forMs: number): Promise<Percentiles> {
  const times: number[] = []
  const last = new AbortController()
  const chains = async (): Promise<void> => {
    do await chain()
    while (!last.signal.aborted)
  }
  const ones = async (): Promise<void> => {
    const began = performance.now()
    while (performance.now() - began < forMs || times.length < SAMPLES_MIN) {
      const from = performance.now()
      await oneStep()
      times.push(performance.now() - from)
    }
    last.abort()
  }
  await Promise.all([chains(), ones()])
  return percentiles(times)
}

/** From one call to the next, less what the call itself costs when nobody orchestrates it. */
async function overheadOf(
  chain: () => Promise<unknown>,
  forMs: number,
): Promise<{ busy: Busy; overhead: Percentiles }> {
  const busy = await keepBusy(chain, CHAIN_STEPS, 1, forMs)
  const gaps = called.flatMap((at, index) => (index % CHAIN_STEPS === 0 ? [] : [at - (called[index - 1] ?? at)]))
  const direct = await directMs()
  return { busy, overhead: percentiles(gaps.map((gap) => gap - direct)) }
}

async function directMs(): Promise<number> {
  const began = performance.now()
  for (let index = 0; index < CHAIN_STEPS; index += 1) await work()
  return (performance.now() - began) / CHAIN_STEPS
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

async function lapOf(contender: Contender, forMs: number, windows: Windows): Promise<Lap> {
  const { oneStep, tenSteps, chain, fan } = contender
  await keepBusy(oneStep, 1, AT_ONCE, forMs / 2)
  const a = await windows.during(async () => {
    const before = process.cpuUsage()
    const many = await keepBusy(oneStep, 1, AT_ONCE, forMs)
    return { many, cpu: process.cpuUsage(before), rssMb: megabytes(process.memoryUsage.rss()) }
  })
  const { many, cpu, rssMb } = a.answer
  const d = await windows.during(() => oneAfterAnother(oneStep, 1, forMs))
  await keepBusy(chain, CHAIN_STEPS, 1, forMs / 2)
  const b = await windows.during(() => overheadOf(chain, forMs))
  const { busy: chains, overhead } = b.answer
  const beside = await windows.during(() => oneBeside(contender, forMs))
  const tenStepsMs = await oneAfterAnother(tenSteps, TEN, forMs)
  await keepBusy(fan, FAN_STEPS, 1, forMs / 2)
  const fans = await keepBusy(fan, FAN_STEPS, 1, forMs)
  return {
    runsPerSecond: many.runs / many.seconds,
    chainStepsPerSecond: (chains.runs * CHAIN_STEPS) / chains.seconds,
    fanStepsPerSecond: (fans.runs * FAN_STEPS) / fans.seconds,
    oneStepMs: d.answer,
    besideMs: beside.answer,
    tenStepsMs,
    overheadMs: overhead,
    cpuMsPerRun: (cpu.user + cpu.system) / 1000 / many.runs,
    rssMb,
    peakRssMb: megabytes(process.resourceUsage().maxRSS * 1024),
    during: { a: a.during, d: d.during, b: b.during, beside: beside.during },
  }
}

async function main({ contender: name, place, forMs }: LapOptions): Promise<void> {
  const open = await CONTENDERS[name]()
  const contender = await open(place, work)
  const windows = new Windows(place)
  const lap = await lapOf(contender, forMs, windows)
  windows.close()
  await contender.close()
  process.stdout.write(`\n${JSON.stringify(lap)}\n`)
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '') as LapOptions)
