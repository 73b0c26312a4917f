/** The second half of the default exploration. */
import { it } from 'vitest'
import { exploreFrom, HISTORIES, SEED } from './default-run.ts'

it(`${HISTORIES} further histories keep every invariant, and as many crash points`, { timeout: 900_000 }, async () => {
  await exploreFrom(SEED + 1, 1_001)
})
