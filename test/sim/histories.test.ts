/** The first half of the default exploration; the second lies beside it, so that two cores share the work. */
import { it } from 'vitest'
import { exploreFrom, HISTORIES, SEED } from './default-run.ts'

it(
  `${HISTORIES} histories of faults, crashes and signals keep every invariant, and as many crash points`,
  { timeout: 900_000 },
  async () => {
    await exploreFrom(SEED, 1)
  },
)
