/**
 * What orchestration adds to the work itself, in milliseconds: whole runs against direct calls of the same functions, and the phases of a
 * run, with a thousand samples each.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadPlan, openKeelson, validatePlan, type Keelson, type Startable } from '../../src/main.ts'

export const SAMPLES = 1_000
const WARM_UP = 50
const MEGABYTE = 1_048_576

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const step = (id: string, more = ''): string => `  - { id: ${id}, run: work${more} }`
const plan = (name: string, steps: readonly string[]): string =>
  `plan: ${name}\nversion: 1.0.0\nsteps:\n${steps.join('\n')}\n`
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

/** Twenty steps on three levels, of which one is tried twice and one has a condition. */
const COMPLEX = plan('complex', [
  ...range(9).map((n) => step(`a${n}`, ', dependsOn: []')),
  step('again', ', dependsOn: [], retry: { maxAttempts: 2, initialBackoffMs: 1 }').replace('work', 'flaky'),
  ...range(8).map((n) => step(`b${n}`, `, dependsOn: [a${n}, again]`)),
  step('asked', ", dependsOn: [a0], if: 'steps.a0.output == `1`'"),
  step('last', `, dependsOn: [${[...range(8).map((n) => `b${n}`), 'asked'].join(', ')}]`),
])
const steps = (count: number, more = ''): readonly string[] => range(count).map((n) => step(`s${n}`, more))

export const SHAPES = ['one agent', 'five in turn', 'ten at once', 'complex, 20 steps'] as const
export type Shape = (typeof SHAPES)[number]
const PLANS: Readonly<Record<Shape, readonly [text: string, calls: number]>> = {
  'one agent': [plan('one', [step('a', ', agent: x')]), 1],
  'five in turn': [plan('five', steps(5)), 5],
  'ten at once': [plan('ten', steps(10, ', dependsOn: []')), 10],
  'complex, 20 steps': [COMPLEX, 21],
}

/** Each a list of samples. */
export interface Phases {
  /** A plan of 20 steps read from its text. */
  readonly parsing: readonly number[]
  /** What an engine makes of the plan that was read: the report of a start. Expressions and schemas are checked while it is read. */
  readonly validation: readonly number[]
  /** From a start to the first call. */
  readonly context: readonly number[]
  /** From a start to the call of a step that needs a place of a limit. */
  readonly resources: readonly number[]
  /** From one step's return to the next one's call. */
  readonly scheduling: readonly number[]
  /** What listeners and log lines add to a run of five steps. */
  readonly observability: readonly number[]
}

export interface Overhead {
  readonly phases: Phases
  readonly totals: Readonly<Record<Shape, readonly number[]>>
  /** After 4,000 runs, more than before. */
  readonly heapMb: number
}

interface Sampled {
  readonly totals: readonly number[]
  readonly toFirst: readonly number[]
  readonly between: readonly number[]
}

/** When functions were called and came back, since the run was started. */
class Calls {
  readonly called: number[] = []
  readonly returned: number[] = []

  readonly steps = {
    work: (): number => this.#noted(() => 1),
    flaky: (_input: unknown, { attempt }: { readonly attempt: number }): number =>
      this.#noted(() => {
        if (attempt === 1) throw new Error('not yet')
        return 1
      }),
  }

  forget(): void {
    this.called.length = 0
    this.returned.length = 0
  }

  #noted<T>(work: () => T): T {
    this.called.push(performance.now())
    try {
      return work()
    } finally {
      this.returned.push(performance.now())
    }
  }
}

async function sampled(keelson: Keelson, startable: Startable, calls: Calls, direct: number): Promise<Sampled> {
  const [totals, toFirst, between]: [number[], number[], number[]] = [[], [], []]
  for (let sample = -WARM_UP; sample < SAMPLES; sample += 1) {
    calls.forget()
    const began = performance.now()
    const run = await keelson.start(startable)
    await run.result()
    const took = performance.now() - began
    if (sample < 0) continue
    totals.push(took - direct)
    toFirst.push((calls.called[0] ?? began) - began)
    calls.called.slice(1).forEach((next, at) => between.push(Math.max(0, next - (calls.returned[at] ?? next))))
  }
  return { totals, toFirst, between }
}

/** The same functions without an engine. */
function directMs(calls: Calls, count: number): number {
  const began = performance.now()
  for (let sample = 0; sample < SAMPLES; sample += 1) for (let call = 0; call < count; call += 1) calls.steps.work()
  return (performance.now() - began) / SAMPLES
}

/** Each time another text, so that nothing is kept from the time before. */
function timesOf<T>(prepare: (text: string) => T, work: (given: T) => unknown): readonly number[] {
  return range(SAMPLES).map((sample) => {
    const given = prepare(COMPLEX.replace('1.0.0', `1.0.${sample}`))
    const began = performance.now()
    work(given)
    return performance.now() - began
  })
}

/** A run of five steps as somebody sees it who listens to everything, less the same without; the median of those is taken away. */
async function observed(bare: readonly number[]): Promise<readonly number[]> {
  const calls = new Calls()
  const folder = mkdtempSync(join(tmpdir(), 'keelson-observed-'))
  try {
    await using keelson = await openKeelson({ directory: folder, steps: calls.steps, log: () => undefined })
    for (const name of ['step.started', 'step.completed', 'execution.completed'] as const)
      keelson.on(name, () => undefined)
    const { totals } = await sampled(keelson, loadPlan(PLANS['five in turn'][0]), calls, 0)
    const median = [...bare].sort((a, b) => a - b)[bare.length >> 1] ?? 0
    return totals.map((total) => Math.max(0, total - median))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export async function measureOverhead(): Promise<Overhead> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-overhead-'))
  const calls = new Calls()
  const parsing = timesOf((text) => text, loadPlan)
  const validation = timesOf(loadPlan, (loaded) => validatePlan(loaded))
  try {
    await using keelson = await openKeelson({ directory: folder, steps: calls.steps })
    collect()
    const heapBefore = process.memoryUsage().heapUsed
    const samples = new Map<Shape, Sampled>()
    for (const shape of SHAPES) {
      const [text, count] = PLANS[shape]
      samples.set(shape, await sampled(keelson, loadPlan(text), calls, directMs(calls, count)))
    }
    collect()
    const heapMb = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / MEGABYTE
    const of = (shape: Shape): Sampled => samples.get(shape) ?? { totals: [], toFirst: [], between: [] }
    const five = of('five in turn')
    const phases = {
      parsing,
      validation,
      context: five.toFirst,
      resources: of('one agent').toFirst,
      scheduling: five.between,
      observability: await observed(five.totals),
    }
    return {
      phases,
      totals: Object.fromEntries(SHAPES.map((shape) => [shape, of(shape).totals])) as Overhead['totals'],
      heapMb,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
