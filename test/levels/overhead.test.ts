/**
 * What orchestration costs, in milliseconds, with a thousand samples of each shape. These files run when no other test does; a machine that
 * has something else to do for a moment is given a second and a third try.
 */
import { expect, it } from 'vitest'
import { measureOverhead, SAMPLES, SHAPES, type Overhead, type Phases } from '../bench/overhead.ts'
import { percentile } from '../bench/soak/percentile.ts'
import { quietest } from './quietest.ts'

/** p50, p95 and p99 of each phase. */
const TARGETS: Readonly<Partial<Record<keyof Phases, readonly [p50: number, p95: number, p99: number]>>> = {
  parsing: [5, 10, 20],
  scheduling: [5, 10, 15],
  context: [10, 20, 30],
  resources: [20, 50, 100],
}
/** Of a hundred milliseconds, which the total has at p95; phases have theirs at p50. */
const BUDGET_MS = 100
const PHASES: Readonly<Record<keyof Phases, number>> = {
  parsing: 5,
  validation: 10,
  scheduling: 5,
  context: 10,
  resources: 20,
  observability: 20,
}
const ORCHESTRATION_MS = 30

const at = (values: readonly number[], ...shares: readonly number[]): readonly number[] =>
  shares.map((share) => percentile(values, share))

function misses(overhead: Overhead): readonly string[] {
  const missed: string[] = []
  const hold = (what: string, values: readonly number[], limits: readonly number[]): void => {
    if (values.some((value, place) => value > (limits[place] ?? 0)))
      missed.push(`${what}: ${values.map((value) => value.toFixed(1)).join(' / ')} ms, not ${limits.join(' / ')}`)
  }
  const { phases, totals } = overhead
  for (const [name, limits] of Object.entries(TARGETS))
    hold(name, at(phases[name as keyof Phases], 0.5, 0.95, 0.99), limits)
  for (const name of Object.keys(PHASES) as (keyof Phases)[])
    hold(`${name}, p50`, at(phases[name], 0.5), [PHASES[name]])
  hold('orchestration of one agent, p50', at(totals['one agent'], 0.5), [ORCHESTRATION_MS])
  for (const shape of SHAPES) {
    hold(`${shape}, added in all`, at(totals[shape], 0.5, 0.95, 0.99), [50, BUDGET_MS, 150])
    hold(`${shape}, p99.9`, at(totals[shape], 0.999), [300])
  }
  if (overhead.heapMb >= 50) missed.push(`the heap has grown by ${overhead.heapMb.toFixed(1)} MB`)
  return missed
}

it('adds to direct calls at most 50, 100 and 150 ms (p50, p95, p99), 300 ms (p99.9), within the budget of each phase, and keeps less than 50 MB [PRF-01, PRF-02, PRF-05, X-88]', async () => {
  const { measured, missed } = await quietest(measureOverhead, misses)
  for (const shape of SHAPES) expect(measured.totals[shape].length).toBe(SAMPLES)
  const told = Object.entries({ ...measured.phases, ...measured.totals }).map(
    ([name, values]) =>
      `${name} ${at(values, 0.5, 0.95, 0.99, 0.999)
        .map((value) => value.toFixed(2))
        .join(' / ')}`,
  )
  process.stdout.write(`overhead, ms at p50 / p95 / p99 / p99.9: ${told.join('; ')}\n`)
  expect(missed).toEqual([])
})
