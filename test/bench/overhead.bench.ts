/**
 * What orchestration adds to the work itself (PRF-01, PRF-02, PRF-05, X-88), in milliseconds: whole runs against direct calls of the same
 * functions, and the phases of a run. A phase is held to its budget at the median, the total at the 95th percentile and beyond.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadPlan, openKeelson, type Keelson, type Startable } from '../../src/main.ts'
import { atMostRow, type BenchRow } from './row.ts'

const SAMPLES = 1_000
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
  step(
    'last',
    `, dependsOn: [${range(8)
      .map((n) => `b${n}`)
      .join(', ')}, asked]`,
  ),
])

const SCENARIOS: readonly (readonly [string, string, number])[] = [
  ['one agent', plan('one', [step('a', ', agent: x')]), 1],
  [
    'five in turn',
    plan(
      'five',
      range(5).map((n) => step(`s${n}`)),
    ),
    5,
  ],
  [
    'ten at once',
    plan(
      'ten',
      range(10).map((n) => step(`s${n}`, ', dependsOn: []')),
    ),
    10,
  ],
  ['complex, 20 steps', COMPLEX, 21],
]

/** When functions were called and came back, since the run was started. */
interface Calls {
  readonly called: number[]
  readonly returned: number[]
}

interface Measured {
  readonly totals: readonly number[]
  /** From the start to the first call. */
  readonly toFirst: readonly number[]
  /** From one step's return to the next one's call. */
  readonly between: readonly number[]
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

async function measured(keelson: Keelson, startable: Startable, calls: Calls, direct: number): Promise<Measured> {
  const [totals, toFirst, between]: [number[], number[], number[]] = [[], [], []]
  for (let sample = -WARM_UP; sample < SAMPLES; sample += 1) {
    calls.called.length = 0
    calls.returned.length = 0
    const began = performance.now()
    const run = await keelson.start(startable)
    await run.result()
    const took = performance.now() - began
    if (sample < 0) continue
    totals.push(took - direct)
    toFirst.push((calls.called[0] ?? began) - began)
    calls.called.slice(1).forEach((next, index) => between.push(Math.max(0, next - (calls.returned[index] ?? next))))
  }
  return { totals, toFirst, between }
}

/** The same functions without an engine. */
function directMs(work: () => unknown, calls: number): number {
  const began = performance.now()
  for (let sample = 0; sample < SAMPLES; sample += 1) for (let call = 0; call < calls; call += 1) work()
  return (performance.now() - began) / SAMPLES
}

function parsing(): readonly BenchRow[] {
  const times = range(SAMPLES).map((sample) => {
    const text = COMPLEX.replace('1.0.0', `1.0.${sample}`)
    const began = performance.now()
    loadPlan(text)
    return performance.now() - began
  })
  return [atMostRow('phase: read and check a plan of 20 steps, p50', 'ms', at(times, 0.5), 15, 1)]
}

export async function benchOverhead(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-overhead-'))
  const calls: Calls = { called: [], returned: [] }
  const noted = <T>(work: () => T): T => {
    calls.called.push(performance.now())
    try {
      return work()
    } finally {
      calls.returned.push(performance.now())
    }
  }
  const work = (): number => noted(() => 1)
  const flaky = (_input: unknown, { attempt }: { readonly attempt: number }): number =>
    noted(() => {
      if (attempt === 1) throw new Error('not yet')
      return 1
    })
  const rows: BenchRow[] = [...parsing()]
  try {
    await using keelson = await openKeelson({ directory: folder, steps: { work, flaky } })
    collect()
    const heapBefore = process.memoryUsage().heapUsed
    for (const [name, text, count] of SCENARIOS) {
      const { totals, toFirst, between } = await measured(keelson, loadPlan(text), calls, directMs(work, count))
      const total = (share: number, limit: number): BenchRow =>
        atMostRow(`${name}: added in all, p${share * 100}`, 'ms', at(totals, share), limit, 1)
      rows.push(total(0.5, 50), total(0.95, 100), total(0.99, 150), total(0.999, 300))
      if (count === 1) rows.push(atMostRow(`phase: start to call with a limit, p50`, 'ms', at(toFirst, 0.5), 20, 1))
      if (count === 5) {
        rows.push(atMostRow('phase: start to first call, p50', 'ms', at(toFirst, 0.5), 10, 1))
        rows.push(atMostRow('phase: from step to step, p50', 'ms', at(between, 0.5), 5, 1))
      }
    }
    collect()
    const grown = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / MEGABYTE
    rows.push(atMostRow('heap after 4,000 runs, more than before', 'MB', grown, 50, 1))
  } finally {
    rmSync(folder, { recursive: true })
  }
  return rows
}
