/**
 * A run of 10,000 events in a real browser: what is on the screen is all that is drawn, nothing is fetched twice, and the cursor
 * moves without folding the log again. Times are printed, not judged: a busy machine takes longer. `KEELSON_TESTS=full` opens 100,000.
 */
import type { CDPSession, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { extent } from '../setup/extent.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'

const browser = testBrowser()
const EVENTS = extent(10_000, 100_000)
const EVENTS_OF_AN_ITEM = 2
/** What the page asks for at once. */
const PAGE = 1_000
const MOST_DRAWN = 1_000
const MOST_HEAP_MB = extent(200, 600)

const PLAN = `
plan: wide
version: 1.0.0
inputs: { type: object, properties: { items: { type: array, items: { type: integer } } } }
steps:
  - { id: open, run: echo }
  - { id: each, dependsOn: [open], forEach: input.items, run: echo, with: { n: '\${item}' } }
  - { id: close, dependsOn: [each], run: echo }
`

/** In the browser: how long each of so many moves of the cursor took until the next picture. */
async function scrub(page: Page, moves: number): Promise<readonly number[]> {
  const took = await page.evaluate(`(async () => {
    const range = document.querySelector('input[aria-label="Event"]')
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const last = Number(range.max)
    const took = []
    for (let move = 1; move <= ${moves}; move += 1) {
      const began = performance.now()
      set.call(range, String(1 + Math.floor(((move * 7919) % ${moves}) / ${moves} * (last - 2))))
      range.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0) }))
      took.push(performance.now() - began)
    }
    return took
  })()`)
  return (took as number[]).sort((a, b) => a - b)
}

async function heapMb(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / 1024 / 1024
}

it('opens a long run by few requests, draws only what is on the screen, and walks through it', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(PLAN, LOCAL)
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
  const took = await scrub(page, 200)
  const p95 = took[Math.floor(took.length * 0.95)] ?? 0
  const heap = await heapMb(devtools)
  console.log({ events: EVENTS, opened, drawn, requests: requests.length, p50: took[took.length >> 1], p95, heap })
  // So many pages of the log as there are, none of them twice; and what is on the screen does not grow with the log.
  expect(requests.length).toBeLessThanOrEqual(EVENTS / PAGE + 1)
  expect(new Set(requests).size).toBe(requests.length)
  expect(drawn).toBeLessThan(MOST_DRAWN)
  expect(await page.locator('main *').count()).toBeLessThan(MOST_DRAWN)
  expect(heap).toBeLessThan(MOST_HEAP_MB)
  expect(troubles).toEqual([])
})
