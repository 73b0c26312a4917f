/** Live pages in a browser that has six connections to a server in all: many windows, tabs that nobody sees, and slow answers. */
import type { Page, Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED, testSteps } from './plans.ts'

const browser = testBrowser()

/** The streams of a page that are open. */
function streamsOf(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>()
  page.on('request', (request) => new URL(request.url()).pathname.endsWith('/stream') && open.add(request))
  page.on('requestfinished', (request) => void open.delete(request))
  page.on('requestfailed', (request) => void open.delete(request))
  return open
}

/** As if another tab were before it, or no longer. */
async function show(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))
  `)
}

const statusOf = (page: Page) => page.getByRole('status', { name: 'Status of the run' })

it('eight windows of one browser, all seen, open over HTTP/1.1, act, and move with the run', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const pages = [tab.page]
  while (pages.length < 8) {
    const page = await tab.page.context().newPage()
    await page.goto(`${server.url}/${pages.length % 2 === 0 ? `runs/${id}` : 'tasks'}`)
    pages.push(page)
  }
  const runs = pages.filter((_, at) => at % 2 === 0)
  for (const page of runs) await statusOf(page).getByText('running').waitFor()
  for (const page of pages.slice(0, 6)) await page.goto(`${server.url}/runs/${id}?step=second`)
  const last = pages[6] ?? tab.page
  await last.getByRole('button', { name: 'Pause' }).click()
  await last.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  for (const page of runs) await statusOf(page).getByText('paused').waitFor()
  await last.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  gate.open()
  await last.getByRole('button', { name: 'Resume' }).first().click()
  await last.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  for (const page of runs) await statusOf(page).getByText('completed').waitFor()
  await pages[7]?.getByRole('link', { name: 'Plans' }).click()
  await pages[7]?.getByRole('link', { name: 'Start gated' }).waitFor()
  expect(tab.troubles).toEqual([])
})

it('a tab has one stream of the tenant, none while nobody sees it, and misses nothing', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/queue`)
  const { page, troubles } = tab
  const open = streamsOf(page)
  await page.goto(`${server.url}/tasks`)
  await expect.poll(() => open.size).toBe(1)
  await page.goto(server.url)
  await page.getByRole('row').filter({ hasText: 'gated' }).waitFor()
  await expect.poll(() => open.size).toBe(1)
  await page.getByRole('link', { name: 'Tasks' }).click()
  await page.getByRole('heading', { name: 'Tasks' }).waitFor()
  await expect.poll(() => open.size).toBe(1)
  await page.goto(`${server.url}/runs/${id}`)
  await statusOf(page).getByText('running').waitFor()
  await expect.poll(() => open.size).toBe(1)
  await show(page, 'hidden')
  await expect.poll(() => open.size).toBe(0)
  gate.open()
  const log = (await server.keelson.run(id)).events()
  let written = 0
  while ((await log.next()).done !== true) written += 1
  expect(await statusOf(page).textContent()).toContain('running')
  await show(page, 'visible')
  await statusOf(page).getByText('completed').waitFor()
  expect(await page.getByRole('listbox', { name: 'Events' }).getByRole('option').count()).toBe(written)
  expect(troubles).toEqual([])
})

it('shows an answer that takes longer than the time after which it is asked for again', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(`${server.url}/tasks`)
  const { page } = tab
  let answer: () => void = () => undefined
  const asked = new Promise<void>((hasAsked) => {
    void page.route('**/v1/resources*', async (route) => {
      hasAsked()
      await new Promise<void>((resolve) => (answer = resolve))
      // The page may have given up on it.
      await route.continue().catch(() => undefined)
    })
  })
  await page.clock.install()
  await page.goto(`${server.url}/pools`)
  await asked
  await page.clock.runFor(12_000)
  answer()
  await page.getByRole('heading', { name: 'Pauses' }).waitFor()
})
