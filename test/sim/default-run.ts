/**
 * What the default test run explores: the same histories every time, so that a red build means a change; KEELSON_SEED or
 * `npm run sim` explore others, and KEELSON_TESTS=full explores more of them.
 */
import { expect } from 'vitest'
import { crashEverywhere } from './crash-everywhere.ts'
import { explore, EXPECTED_OF_GRANTS } from './explore.ts'
import { extent, isFull } from '../setup/extent.ts'
import type { Scenario } from './scenario.ts'

export const SEED = Number(process.env['KEELSON_SEED'] ?? 731_661_031)

/** Of each of the four explorations. */
export const HISTORIES = extent(400, 5_000)
export const CRASH_PLANS = extent(8, 60)

/** A part need not meet all there is: that is asked of the whole, and told of a part. */
function expectReached(vacuous: readonly string[]): void {
  if (vacuous.length > 0) process.stdout.write(`never reached: ${vacuous.join(', ')}\n`)
  if (isFull) expect(vacuous).toEqual([])
}

/** Explores and crashes; nothing may be violated, and of the whole nothing that should be met may be missed. */
export async function exploreFrom(seed: number, crashSeed: number): Promise<void> {
  const [histories, plans] = [HISTORIES, CRASH_PLANS]
  process.stdout.write(`KEELSON_SEED=${SEED}: ${histories} histories and ${plans} plans from ${seed}\n`)
  const explored = await explore({ histories, seed, shrink: true, failuresMax: 3 })
  expect(explored.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
  expectReached(explored.vacuous)
  expect(explored.histories).toBe(histories)
  const crashed = await crashEverywhere({ seed: crashSeed, plans })
  expect(crashed.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
  const crashPoints = explored.crashPoints + crashed.crashPoints
  process.stdout.write(
    `${explored.events} events, ${crashPoints} crash points, ${explored.adoptions} take-overs, 0 violations\n`,
  )
  expect(crashPoints).toBeGreaterThanOrEqual(histories)
}

/** Histories in which runs compete for grants, and nothing else. */
export async function competeFrom(seed: number): Promise<void> {
  const histories = HISTORIES
  process.stdout.write(`KEELSON_SEED=${SEED}: ${histories} histories with competition from ${seed}\n`)
  const only = (scenario: Scenario): boolean => scenario.pools.length > 0
  const explored = await explore({ histories, seed, only, expected: EXPECTED_OF_GRANTS, shrink: true, failuresMax: 3 })
  expect(explored.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
  expectReached(explored.vacuous)
  expect(explored.histories).toBe(histories)
  process.stdout.write(`${explored.events} events, ${explored.reached['grants refused'] ?? 0} refusals, 0 violations\n`)
}
