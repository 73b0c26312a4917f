/** The second half of the histories in which runs compete for grants. */
import { it } from 'vitest'
import { competeFrom, SEED } from './default-run.ts'

it(
  '5,000 further histories in which runs compete keep every limit and leave nobody waiting [P-18, P-19, SCH-05, RES-01]',
  { timeout: 900_000 },
  async () => {
    await competeFrom(SEED + 3, 5_000)
  },
)
