/** Alerts in a real browser: one appears while one looks, says what it means and what to do, and leads to its event. */
import { expect, it } from 'vitest'
import { ALERTS } from '../../src/core/alerts/catalogue.ts'
import type { Served } from '../server/served.ts'
import { LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { fineEverywhere } from './everywhere.ts'
import { GATED, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

async function destroy(server: Served, id: string, as = 'eve'): Promise<number> {
  const { status, text } = await server.call(`POST /v1/executions/${id}/signals`, {
    as: '',
    headers: { 'x-keelson-act-as': as },
    body: {
      signalId: crypto.randomUUID(),
      signalType: 'UPDATE_PARAMS',
      payload: { params: { a: 1 }, reason: 'why not' },
    },
  })
  if (status >= 300) throw new Error(`not sent: ${text}`)
  const alerts = async () => (await server.call(`GET /v1/alerts?executionId=${id}`, { as: '' })).body.alerts
  for (;;) {
    const [first] = await alerts()
    if (first !== undefined) return first.runSeq
  }
}

it('shows an alert while one looks, explains it and leads to the run at its event; filters are in the address', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const [one, other] = [await start(server, 'gated'), await start(server, 'gated')]
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Operate' }).click()
  await page.getByRole('link', { name: 'Alerts', exact: true }).click()
  const status = page.getByRole('status', { name: 'How many alerts' })
  await status.getByText('No alerts of the last day.').waitFor()
  const runSeq = await destroy(server, one)
  const group = page.getByRole('region', { name: 'DESTRUCTIVE_SIGNAL' })
  await group.getByText(ALERTS.DESTRUCTIVE_SIGNAL.means).waitFor()
  await group.getByText(ALERTS.DESTRUCTIVE_SIGNAL.todo).waitFor()
  await group.getByText('P1 now').waitFor()
  await destroy(server, other)
  await group.getByText('2 in 2 runs').waitFor()
  await status.getByText('2 alerts of the last day.').waitFor()
  // What else happens to a run raises none, and repeats none.
  await page.getByRole('button', { name: 'P2' }).click()
  await status.getByText('No alerts of the last day.').waitFor()
  expect(new URL(page.url()).searchParams.get('priority')).toBe('P2')
  await page.getByRole('button', { name: 'P1' }).click()
  await group.getByText('2 in 2 runs').waitFor()
  expect(new URL(page.url()).searchParams.get('priority')).toBe('P1,P2')
  await page.getByLabel('Run', { exact: true }).fill(one)
  await group.getByText('1 in 1 run').waitFor()
  await page.getByLabel('Kind').selectOption('RUN_TIMEOUT')
  await status.getByText('No alerts').waitFor()
  await page.goBack()
  await group.getByText('1 in 1 run').waitFor()
  await page.getByLabel('Since').selectOption('7d')
  await status.getByText('1 alert of the last week.').waitFor()
  await page.reload()
  await status.getByText('1 alert of the last week.').waitFor()
  await group.getByRole('link', { name: `run ${one.slice(0, 8)}, event ${runSeq}` }).press('Enter')
  await page.getByRole('listbox', { name: 'Events' }).waitFor()
  expect(new URL(page.url()).searchParams.get('at')).toBe(String(runSeq))
  gate.open()
  expect(troubles).toEqual([])
})

it('tells of a run that is not there what the server says', async () => {
  await using server = await servedPage()
  await using tab = await browser.open(`${server.url}/alerts?run=nothing`)
  tab.expects(404)
  await tab.page.getByRole('alert').getByText('RUN_NOT_FOUND').waitFor()
  await tab.page.getByText('correlation id').waitFor()
})

it('executes nothing of what people say in alerts and addresses, and is fine everywhere', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  for (const actor of XSS.slice(0, 6)) await destroy(server, id, encodeURIComponent(actor).slice(0, 100))
  await destroy(server, id)
  const code = encodeURIComponent((XSS[4] ?? '').slice(0, 60))
  const pages = [
    ['/alerts', ALERTS.DESTRUCTIVE_SIGNAL.means],
    ['/alerts?priority=P3', 'No alerts'],
    [`/alerts?code=${code}`, 'No alerts'],
  ] as const
  await fineEverywhere(browser, { url: server.url, pages })
  await using tab = await browser.open(`${server.url}/alerts`)
  await tab.page.getByRole('button', { name: 'All 7' }).click()
  await tab.page.getByText('7 in 1 run').waitFor()
  expect(
    await tab.page
      .getByRole('list', { name: /^Where/ })
      .getByRole('listitem')
      .count(),
  ).toBe(7)
  expect(await tab.page.evaluate('window.executed')).toBeUndefined()
  gate.open()
  expect(tab.troubles).toEqual([])
})

it('shows an alert while one looks in a browser whose clock is hours ahead, and says rightly how old it is', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open('about:blank')
  const { page, troubles } = tab
  await page.addInitScript('const now = Date.now; Date.now = () => now() + 3 * 3_600_000')
  await page.goto(`${server.url}/alerts`)
  await page.getByRole('status', { name: 'How many alerts' }).getByText('No alerts of the last day.').waitFor()
  await destroy(server, id)
  const group = page.getByRole('region', { name: 'DESTRUCTIVE_SIGNAL' })
  await group.getByText('1 in 1 run').waitFor()
  expect(await group.locator('time').textContent()).toMatch(/^(just now|in 1 s|\d+ s ago)$/)
  gate.open()
  expect(troubles).toEqual([])
})

it('copies an error with its correlation id, also where the browser gives the page no clipboard', async () => {
  await using server = await servedPage()
  await using tab = await browser.open('about:blank')
  const { page } = tab
  tab.expects(404)
  // As on a page that came over plain http from another machine.
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })")
  await page.goto(`${server.url}/alerts?run=nothing`)
  const alert = page.getByRole('alert')
  const id = (await alert.getByText('correlation id').locator('code').textContent()) ?? ''
  await alert.getByRole('button', { name: 'copy the error' }).click()
  await alert.getByRole('button', { name: 'copied' }).waitFor()
  await page.getByLabel('Run', { exact: true }).fill('')
  await page.getByLabel('Run', { exact: true }).press('ControlOrMeta+V')
  const pasted = await page.getByLabel('Run', { exact: true }).inputValue()
  expect(pasted).toContain('RUN_NOT_FOUND')
  expect(pasted).toContain(`correlation id ${id}`)
  await page.evaluate('document.execCommand = () => false')
  await page.getByRole('alert').getByRole('button', { name: 'copy the error' }).click()
  await page.getByRole('button', { name: 'cannot copy: mark the text' }).waitFor()
})
