/**
 * A run of 10,000 events in a real browser: what is on the screen is all that is drawn, nothing is fetched twice, and the cursor
 * moves without folding the log again. Other tests run beside it: limits on times are several times what a quiet machine takes, so that
 * only a defect meets them; what they are is held by `test/levels/page.test.ts`. `KEELSON_TESTS=full` opens 100,000 events.
 */
import { expect, it } from 'vitest'
import { extent } from '../setup/extent.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { heapMb, scrub } from './paces.ts'
import { WIDE } from './wide-plan.ts'

const browser = testBrowser()
const EVENTS = extent(10_000, 100_000)
const EVENTS_OF_AN_ITEM = 2
/** What the page asks for at once. */
const PAGE = 1_000
const MOST_DRAWN = 1_000
const MOST_HEAP_MB = extent(200, 600)
/** A quiet machine takes 0.7 s for 10,000 events, and 20 ms for most moves of the cursor; a busy one ten times as long. */
const MOST_OPEN_MS = extent(12_000, 60_000)
const MOST_MOVE_MS = extent(1_000, 4_000)

it('opens a long run by few requests, draws only what is on the screen, and walks through it', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(WIDE, LOCAL)
  const items = Array.from({ length: EVENTS / EVENTS_OF_AN_ITEM }, (_, at) => at)
  const id = await start(server, 'wide', { items })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/plans`)
  const { page, troubles } = tab
  const devtools = await page.context().newCDPSession(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByText('wide').first().waitFor()
  const began = performance.now()
  await page.goto(`${server.url}/runs/${id}`)
  await page.getByText(/the end$/).waitFor()
  const opened = performance.now() - began
  const requests = asked.filter((path) => /\/events\?/.test(path))
  const drawn = await page.locator('main *').count()
  const took = (await scrub(page, 200)).toSorted((a, b) => a - b)
  const p95 = took[Math.floor(took.length * 0.95)] ?? 0
  const heap = await heapMb(devtools)
  console.log({ events: EVENTS, opened, drawn, requests: requests.length, p50: took[took.length >> 1], p95, heap })
  // So many pages of the log as there are, none of them twice; and what is on the screen does not grow with the log.
  expect(requests.length).toBeLessThanOrEqual(EVENTS / PAGE + 1)
  expect(new Set(requests).size).toBe(requests.length)
  expect(drawn).toBeLessThan(MOST_DRAWN)
  expect(await page.locator('main *').count()).toBeLessThan(MOST_DRAWN)
  expect(heap).toBeLessThan(MOST_HEAP_MB)
  expect(opened).toBeLessThan(MOST_OPEN_MS)
  expect(p95).toBeLessThan(MOST_MOVE_MS)
  // The log is read once; what waits for a second person is asked when it opens and then every five seconds, and not with every page.
  const fives = Math.ceil((performance.now() - began) / 5_000)
  expect(asked.filter((path) => path.includes('/v1/decisions')).length).toBeLessThanOrEqual(2 + fives)
  expect(troubles).toEqual([])
})
