/** Fan-outs around the sizes of every cache, page and append: the same histories every time. */
import { expect, it } from 'vitest'
import { extent } from '../setup/extent.ts'
import { SEED } from './default-run.ts'
import { exploreWide } from './wide.ts'

/** Those beside the sizes of caches, appends and pages; `npm run sim` looks at more. */
const WIDTHS = extent([1, 256, 257, 501, 1001], [1, 255, 256, 257, 499, 500, 501, 1001, 2000])

it(
  `fan-outs of 1 to ${WIDTHS.at(-1)} items put out what the model of values computes, in every width [P-43, P-05]`,
  { timeout: 600_000 },
  async () => {
    const explored = await exploreWide({ seed: SEED, histories: WIDTHS.length, widths: WIDTHS })
    expect(explored.failing.map((one) => `seed ${one.seed}: ${one.violations.join('; ')}`)).toEqual([])
    expect(explored.events).toBeGreaterThan(extent(7_000, 20_000))
  },
)
