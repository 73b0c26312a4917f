/**
 * The service levels of a server under 1,000 runs a minute, for fifteen seconds instead of four hours: the real command in a process of its
 * own, over HTTP, on SQLite. No other test runs beside it.
 */
import { expect, it } from 'vitest'
import { benchServiceLevels } from '../bench/service-levels.bench.ts'
import type { BenchRow } from '../bench/row.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { quietest } from './quietest.ts'

/** The most of each, in the unit that its row has. */
const LEVELS: Readonly<Record<string, number>> = {
  '1,000 runs a minute: starts not accepted, of a hundred': 0.5,
  '1,000 runs a minute: request to persisted, p99': 300,
  '1,000 runs a minute: writes over 10 ms, of a hundred': 1,
  'signal to paused, p99': 1_000,
  'event to its subscriber, p99': 5_000,
}

const misses = (rows: readonly BenchRow[]): readonly string[] =>
  rows
    .filter(({ name, value }) => !(value <= (LEVELS[name] ?? -1)))
    .map(({ name, value, unit }) => `${name}: ${value.toFixed(1)} ${unit}, not ${LEVELS[name] ?? 'known'}`)

it('persists a start within 300 ms (p99), writes within 10 ms, delivers within 5 s and pauses within 1 s, and answers 99.5 % of 1,000 starts a minute [PRF-04]', async () => {
  await ensureBuilt()
  const { measured, missed } = await quietest(benchServiceLevels, misses)
  process.stdout.write(
    `service levels: ${measured.map(({ name, value }) => `${name} ${value.toFixed(1)}`).join('; ')}\n`,
  )
  expect(measured.map(({ name }) => name).sort()).toEqual(Object.keys(LEVELS).sort())
  expect(missed).toEqual([])
})
