/** Competition for agents, resources and quotas over runs and processes, explored by itself; the other half lies beside it. */
import { it } from 'vitest'
import { competeFrom, HISTORIES, SEED } from './default-run.ts'

it(
  `${HISTORIES} histories in which runs compete keep limits and free what they held, and nobody waits for ever [P-18, P-19, SCH-05, SCH-07, SCH-11, RES-01]`,
  { timeout: 900_000 },
  async () => {
    await competeFrom(SEED + 2)
  },
)
