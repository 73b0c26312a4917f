/** The second half of the default exploration. */
import { it } from 'vitest'
import { exploreFrom, SEED } from './default-run.ts'

it('5,000 further histories keep every invariant, and as many crash points', { timeout: 900_000 }, async () => {
  await exploreFrom(SEED + 1, 1_001, 5_000, 60)
})
