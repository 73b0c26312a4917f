/**
 * The budgets of orchestration (PRF-01, PRF-02, PRF-05, X-88), in milliseconds: a phase is held to its budget at the median, the total at
 * the 95th percentile and beyond. `test/levels/overhead.test.ts` holds them in every test run.
 */
import { measureOverhead, SHAPES, type Overhead } from './overhead.ts'
import { atMostRow, type BenchRow } from './row.ts'
import { percentile } from './soak/percentile.ts'

const BUDGETS = { parsing: 5, validation: 10, scheduling: 5, context: 10, resources: 20, observability: 20 } as const
const TOTALS = [
  [0.5, 50],
  [0.95, 100],
  [0.99, 150],
  [0.999, 300],
] as const

function rowsOf({ phases, totals, heapMb }: Overhead): readonly BenchRow[] {
  const names = Object.keys(BUDGETS) as (keyof typeof BUDGETS)[]
  return [
    ...names.map((name) => atMostRow(`phase: ${name}, p50`, 'ms', percentile(phases[name], 0.5), BUDGETS[name], 1)),
    ...SHAPES.flatMap((shape) =>
      TOTALS.map(([share, limit]) =>
        atMostRow(`${shape}: added in all, p${share * 100}`, 'ms', percentile(totals[shape], share), limit, 1),
      ),
    ),
    atMostRow('heap after 4,000 runs, more than before', 'MB', heapMb, 50, 1),
  ]
}

export async function benchOverhead(): Promise<readonly BenchRow[]> {
  return rowsOf(await measureOverhead())
}
