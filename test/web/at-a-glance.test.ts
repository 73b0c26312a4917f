/** What somebody sees first who comes to the page because something is wrong: which run, why, what it waits for; on a phone as well. */
import { expect, it } from 'vitest'
import { shortTime } from '../../web/src/shown/words.ts'
import { rulerTexts } from '../../web/src/timeline/ruler-texts.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { SAGA, testSteps } from './plans.ts'

const browser = testBrowser()
const NARROW = { viewport: { width: 360, height: 740 } }

const LONG = 'extract-customer-master-data-from-the-legacy-mainframe'
const WAITS = `
plan: waits
version: 1.0.0
steps:
  - { id: ${LONG}, run: echo }
  - { id: cool-off, dependsOn: [${LONG}], wait: { for: 2h } }
  - { id: receipt, dependsOn: [${LONG}], wait: { forEvent: payment.received } }
  - { id: upload, run: broken, retry: { maxAttempts: 20, initialBackoff: 30s } }
  - { id: sign, manual: { title: Sign the order } }
  - { id: after, dependsOn: [cool-off], run: echo }
`
const PARENT = `
plan: parent
version: 1.0.0
steps: [{ id: child, plan: { planId: saga }, retry: { maxAttempts: 1 } }]
`
const ECHO = `
plan: echo
version: 1.0.0
inputs: { type: object, properties: { text: { type: string } } }
steps: [{ id: say, run: echo, with: { said: '\${input.text}' } }]
output: '\${steps.say.output}'
`

it('the list tells why a run failed and whose child it is, and keeps the name of the plan on a phone', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  for (const plan of [SAGA, PARENT]) await server.publish(plan, LOCAL)
  const parent = await start(server, 'parent')
  await ended(server, parent)
  await using wide = await browser.open(server.url)
  const child = wide.page.getByRole('row').filter({ hasText: 'child of' })
  await child.getByText('WAREHOUSE_FULL').locator('visible=true').waitFor()
  await child.getByRole('link', { name: `child of run ${parent.slice(0, 8)}` }).click()
  await wide.page.waitForURL(`**/runs/${parent}`)
  // From an attempt of a step that is a plan, one goes back to the run that it was.
  await wide.page.goto(`${server.url}/runs/${parent}?step=child&tab=attempts`)
  await wide.page.getByRole('link', { name: /^child run / }).click()
  await wide.page.getByRole('button', { name: /^ship WAREHOUSE_FULL/ }).waitFor()
  await using narrow = await browser.open(server.url, NARROW)
  const row = narrow.page.getByRole('row').filter({ hasText: 'saga' })
  await row.getByText('WAREHOUSE_FULL').locator('visible=true').waitFor()
  const [link, cell] = [row.getByRole('link').first(), row.locator('td.plan')]
  const [name, room] = [await link.boundingBox(), await cell.boundingBox()]
  expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThan((room?.x ?? 0) + (room?.width ?? 0))
  expect(narrow.page.viewportSize()?.width).toBe(await narrow.page.evaluate('document.documentElement.scrollWidth'))
})

it('a run says when it began, gives its whole id to the clipboard, and shows what it was given and gave back', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(ECHO, LOCAL)
  const id = await start(server, 'echo', { text: 'hello' })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = tab
  await page.getByText(/, started (just now|\d+ s ago)$/).waitFor()
  await page.getByRole('button', { name: `copy the id ${id}` }).click()
  await page.getByRole('status').getByText('copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  await page.getByRole('region', { name: 'input of the run' }).getByText('"text": "hello"').waitFor()
  await page.getByRole('region', { name: 'output of the run' }).getByText('"said": "hello"').waitFor()
  await page.getByLabel('Filter events').waitFor()
  await page.goto(`${server.url}/runs/${id}?at=3`)
  await page.getByText('as of event 3').waitFor()
  expect(await page.getByRole('region', { name: 'output of the run' }).count()).toBe(0)
})

it('a step that only waits says so and until when, one that is tried again says what failed, and a task leads to its form', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(WAITS, LOCAL)
  const id = await start(server, 'waits')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page } = tab
  await page.getByRole('button', { name: /^cool-off until (\d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d), waits$/ }).waitFor()
  await page.getByRole('button', { name: /^receipt waits: payment.*, waits$/ }).waitFor()
  await page.getByRole('button', { name: 'sign waits for a person, waits for a person' }).waitFor()
  await page.getByRole('button', { name: /^upload again / }).click()
  await page
    .getByText(/^attempt \d+ of 20 failed with WAREHOUSE_FULL: the warehouse is full; the next is due/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'open the task' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await page.getByText(/^waits, step sign of/).waitFor()
  await page.getByRole('link', { name: 'Tasks' }).click()
  await page.getByText('Choose a task').waitFor()
})

it('what is written in the graph stays within its cell, however long a name is', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(WAITS, LOCAL)
  const id = await start(server, 'waits')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page } = tab
  await page.getByRole('button', { name: 'sign waits for a person, waits' }).waitFor()
  const beyond = await page.evaluate(`[...document.querySelectorAll('.node')].flatMap((node) => {
    const edge = node.querySelector('.card').getBoundingClientRect().right
    return [...node.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().right > edge).map((text) => text.textContent)
  })`)
  expect(beyond).toEqual([])
  expect(await page.locator('.node').count()).toBe(6)
})

it('a link to what is told of a step opens that part on a phone, and the graph is one press away', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(SAGA, LOCAL)
  const id = await start(server, 'saga')
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=ship&tab=why`, NARROW)
  const { page } = tab
  await page.getByText(/^it failed in attempt 1 with WAREHOUSE_FULL/).waitFor()
  await page.getByRole('button', { name: 'graph', exact: true }).click()
  await page.getByRole('button', { name: /^ship WAREHOUSE_FULL/ }).waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  const [top, width] = [await page.getByRole('navigation', { name: 'Pages' }).boundingBox(), NARROW.viewport.width]
  expect(top?.height).toBeLessThan(48)
  expect(top?.width).toBe(width)
})

it('a run that is not there leads on to those that are', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(`${server.url}/runs/no-such-run`)
  tab.expects(404)
  await tab.page.getByText('RUN_NOT_FOUND').first().waitFor()
  await tab.page.getByRole('link', { name: 'All runs' }).click()
  await tab.page.getByText('No run yet.').waitFor()
})

it('a time in a small place is told by what of it is another than now', () => {
  const [now, later] = [new Date(2026, 10, 19, 22, 20), (hours: number) => new Date(2026, 10, 19, 22 + hours, 20, 5)]
  const told = [1, 2, 24 * 60].map((hours) => shortTime(later(hours).getTime(), now.getTime()))
  expect(told).toEqual(['23:20:05', '11-20 00:20', '2027-01-18'])
})

it('no two texts of the ruler meet, and a fold comes before a round time', () => {
  const idle = [
    { from: 0, to: 30_200, at: 0.68 },
    { from: 31_000, to: 59_300, at: 0.97 },
  ]
  const ticks = [0, 200, 400, 30_800].map((ms, at) => ({ ms, at: [0, 0.2, 0.4, 0.86][at] ?? 0 }))
  const texts = rulerTexts({ idle, ticks }, 540)
  expect(texts.map(({ text }) => text)).toEqual(['⋯ 30.2 s ⋯', '⋯ 28.3 s ⋯', '0', '200 ms', '400 ms'])
  expect(texts.every(({ left }) => left >= 0 && left < 540)).toBe(true)
  expect(rulerTexts({ idle, ticks }, 120).map(({ text }) => text)).toEqual(['⋯ 30.2 s ⋯', '0'])
})
