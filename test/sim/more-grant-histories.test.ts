/** The second half of the histories in which runs compete for grants. */
import { it } from 'vitest'
import { competeFrom, HISTORIES, SEED } from './default-run.ts'

it(
  `${HISTORIES} further histories in which runs compete keep every limit and leave nobody waiting [P-18, P-19, SCH-05, RES-01]`,
  { timeout: 900_000 },
  async () => {
    await competeFrom(SEED + 3)
  },
)
