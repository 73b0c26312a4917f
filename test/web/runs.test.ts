/** The list of runs in a real browser: it is live, it is filtered by its address, and it asks who one is where it must. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { ANA, served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

it('loads first at most 250 KB, all of it from its own server, and other pages only when they are opened', async () => {
  await using server = await servedPage()
  await using tab = await browser.open('about:blank')
  const { page } = tab
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(server.url)
  await page.getByText('No run yet.').waitFor()
  const own = asked.filter((url) => url.startsWith(`${server.url}/`))
  expect(own).toEqual(asked)
  const sizes = [...(pageFiles()?.assets ?? [])].map(
    ([path, file]) => [`${server.url}${path}`, file().gzip.length] as const,
  )
  const sum = (some: typeof sizes): number => some.reduce((bytes, [, size]) => bytes + size, 0)
  const first = sum(sizes.filter(([url]) => asked.includes(url)))
  expect(first).toBeLessThanOrEqual(250_000)
  expect(first).toBeGreaterThan(50_000)
  // The parser of the editor alone is larger.
  expect(sum(sizes) - first).toBeGreaterThan(20_000)
})

it('shows a run as soon as it is on record, and every change of its status, without being asked', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [GATED, SAGA]) await server.publish(plan, LOCAL)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByText('No run yet.').waitFor()
  expect(await page.getByRole('link', { name: 'Choose a plan and start it' }).getAttribute('href')).toBe('/plans')
  const id = await start(server, 'gated')
  const row = page.getByRole('row').filter({ has: page.getByText('gated', { exact: true }) })
  await row.getByText('running', { exact: true }).waitFor()
  gate.open()
  await row.getByText('completed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'completed 1' }).waitFor()
  const failed = await start(server, 'saga')
  await ended(server, failed)
  await page.getByRole('button', { name: 'failed 1' }).click()
  expect(new URL(page.url()).searchParams.get('q')).toBe('status:failed')
  await row.waitFor({ state: 'detached' })
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('button', { name: 'failed 1' }).click()
  await page.getByLabel('Filter runs').fill(id.slice(0, 8))
  await row.waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  await page.getByLabel('Filter runs').fill('nobody:knows')
  await page.getByText('Not understood: nobody:knows').waitFor()
  expect(troubles).toEqual([])
})

it('reads older runs page by page, and is walked through by keys', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const ids: string[] = []
  for (let at = 0; at < 53; at += 1) ids.push(await start(server, 'saga'))
  for (const id of ids) await ended(server, id)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'failed 53' }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page.getByRole('button', { name: 'Older runs' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(53)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('j')
  const second = await page.locator('tbody tr').nth(1).locator('code').getAttribute('title')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/runs/${second}`)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('one event back, one on').waitFor()
  expect(troubles).toEqual([])
})

it('asks for a key where the server wants to know who asks, keeps it for the tab and forgets it when told', async () => {
  await using server = await served({}, { page: pageFiles() })
  await using tab = await browser.open(server.url)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('kls_wrong')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByText('The server does not know this key.').waitFor()
  await page.getByLabel('API key').fill(ANA)
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByText('ana @ acme').waitFor()
  await page.reload()
  await page.getByText('ana @ acme').waitFor()
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0)
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await page.getByLabel('API key').waitFor()
  // The browser itself tells of each answer 401, and that there is no login here (404).
})

it('starts a run by the form that its inputs make, and by JSON, and tells what the server refuses', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input } })
  const plan = `
plan: form
version: 1.0.0
inputs:
  type: object
  required: [name]
  properties:
    name: { type: string, pattern: '..', description: Whom to greet. }
    times: { type: integer, default: 2 }
    tone: { type: string, enum: [loud, low] }
    tags: { type: array, items: { type: string } }
steps: [{ id: say, run: echo, with: { all: '\${input}' } }]
`
  await server.publish(plan, LOCAL)
  await using tab = await browser.open(`${server.url}/plans`)
  tab.expects(400)
  const { page } = tab
  await page.getByRole('link', { name: 'Start form' }).click()
  await page.getByLabel(/^name/).fill('A')
  await page.getByLabel(/^tone/).selectOption('low')
  await page.getByLabel(/^tags/).fill('["x"]')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('alert').getByText('INPUT_INVALID').waitFor()
  await page.getByText('correlation id').waitFor()
  await page.getByRole('button', { name: 'As JSON' }).click()
  const json = page.getByLabel('Input as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual({ name: 'A', times: 2, tone: 'low', tags: ['x'] })
  await json.fill('{"name":"Ana","times":3}')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL('**/runs/*')
  await page.getByRole('status', { name: 'Status of the run' }).getByText('completed').waitFor()
  await page
    .getByRole('button', { name: /^say .*, succeeded$/ })
    .first()
    .click()
  await page.getByRole('tab', { name: 'input' }).click()
  const shown = await page.getByRole('region', { name: 'input of say' }).textContent()
  expect(JSON.parse(shown ?? '')).toEqual({ all: { name: 'Ana', times: 3 } })
})

it('takes a run of a later page out of the list when it does not fit any more, and keeps the chosen one', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const ids: string[] = []
  for (let at = 0; at < 53; at += 1) ids.push(await start(server, 'gated'))
  await using tab = await browser.open(`${server.url}/?q=status%3Arunning`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'running 53' }).waitFor()
  await page.getByRole('button', { name: 'Older runs' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(53)
  const oldest = page.locator(`code[title="${ids[0]}"]`)
  await oldest.waitFor()
  await page.keyboard.press('j')
  const chosen = page.locator('tr.chosen code')
  expect(await chosen.getAttribute('title')).toBe(ids.at(-1))
  const { status } = await server.call(`POST /v1/executions/${ids[0]}/signals`, {
    as: '',
    body: { signalId: crypto.randomUUID(), signalType: 'PAUSE', payload: {} },
  })
  expect(status).toBe(200)
  await oldest.waitFor({ state: 'detached' })
  expect(await page.locator('tbody tr').count()).toBe(52)
  const newest = await start(server, 'gated')
  await page.locator(`code[title="${newest}"]`).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/runs/${ids.at(-1)}`)
  gate.open()
  expect(troubles).toEqual([])
})
