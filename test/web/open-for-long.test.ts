/**
 * A page that is left open while runs come and go: it stays live, and what it keeps does not grow with what it has seen. By default for
 * some dozens of runs; `KEELSON_TESTS=full` leaves it open for an hour.
 */
import { expect, it } from 'vitest'
import { extent } from '../setup/extent.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { heapMb } from './paces.ts'
import { GATED, testSteps } from './plans.ts'
import { WIDE } from './wide-plan.ts'

const browser = testBrowser()
const OPEN_MS = extent(0, 3_600_000)
const LEAST_RUNS = 20
/** More than a page of the list: from then on it shows as many as before. */
const FIRST_RUNS = 55
const ITEMS = [1, 2, 3, 4, 5]
/** Of what lives in both after a collection: compiled code comes to it. */
const MOST_GROWTH_MB = 6

it(
  'the list and a waiting run stay live, and keep no more after many runs than after a few',
  { timeout: 3_900_000 },
  async () => {
    const { steps, gate } = testSteps()
    await using server = await servedPage({ steps: { ...steps, echo: (input: unknown) => input ?? null } })
    await server.publish(GATED, LOCAL)
    await server.publish(WIDE, LOCAL)
    const waiting = await start(server, 'gated')
    await using list = await browser.open(server.url)
    await using one = await browser.open(`${server.url}/runs/${waiting}?step=first`)
    await one.page.getByRole('button', { name: /^first .*, running$/ }).waitFor()
    const devtools = await Promise.all([list, one].map(({ page }) => page.context().newCDPSession(page)))
    const held = async (): Promise<number> => {
      const each = await Promise.all(devtools.map(heapMb))
      return each.reduce((sum, heap) => sum + heap, 0)
    }
    const oneMore = async (): Promise<void> => {
      const id = await start(server, 'wide', { items: ITEMS })
      await ended(server, id)
      await list.page.getByText(id.slice(0, 8)).waitFor()
    }
    for (let begun = 0; begun < FIRST_RUNS; begun += 1) await start(server, 'wide', { items: ITEMS })
    await oneMore()
    const before = await held()
    const began = performance.now()
    let runs = 0
    for (; runs < LEAST_RUNS || performance.now() - began < OPEN_MS; runs += 1) await oneMore()
    const after = await held()
    console.log({ runs, before, after })
    expect(after - before).toBeLessThan(MOST_GROWTH_MB)
    gate.open()
    await one.page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  },
)
