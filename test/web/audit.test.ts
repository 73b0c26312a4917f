/** The audit log in a real browser: the act just done and a denial, filters and pages, a copy to keep, and a record that was altered. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { testFolder } from '../fixtures/folder.ts'
import { heldServer, type Held } from '../server/held-run.ts'
import { ANA } from '../server/served.ts'
import { testBrowser, type Tab } from './browser.ts'
import { fineEverywhere } from './everywhere.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()
const AUDITOR = 'acme.ada.auditor'

async function enter({ page }: Tab, key = AUDITOR): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Enter' }).click()
}

const open = (directory?: string): Promise<Held> =>
  heldServer(directory === undefined ? {} : { directory }, { page: pageFiles() })

it('shows the act just done and a denial, narrows by all parts of its address, and shows a record in full [AUT-12]', async () => {
  await using server = await open()
  const run = await server.started()
  await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  await using tab = await browser.open(`${server.url}/audit`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab)
  const started = page.getByRole('row').filter({ hasText: 'startExecution' })
  await started.getByText('granted').waitFor()
  const denied = page.getByRole('row').filter({ hasText: 'RUN_CANCEL' })
  await denied.getByText('eye', { exact: true }).waitFor()
  await denied.getByText('AUTHZ_DENIED').waitFor()
  await server.signal(run, { signalType: 'PAUSE' })
  await page.getByRole('button', { name: 'Look again' }).click()
  await page.getByRole('row').filter({ hasText: 'sendSignal' }).getByText('granted').waitFor()
  await page.getByLabel('Outcome').selectOption('DENIED')
  await started.waitFor({ state: 'detached' })
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByRole('button', { name: 'Everything' }).click()
  await started.waitFor()
  await page.getByLabel('Who').fill('ana')
  await page.keyboard.press('Enter')
  await denied.waitFor({ state: 'detached' })
  await page.getByLabel('About').fill(run)
  await page.keyboard.press('Enter')
  await page.getByLabel('What').selectOption('RUN_START')
  await page.getByRole('row').filter({ hasText: 'sendSignal' }).waitFor({ state: 'detached' })
  const { searchParams } = new URL(page.url())
  expect(Object.fromEntries(searchParams)).toEqual({ actor: 'ana', target: run, action: 'RUN_START' })
  await page.getByLabel('To').fill('2020-01-01T00:00:00')
  await page.getByLabel('To').press('Enter')
  await page.getByText('No record fits.').waitFor()
  expect(new URL(page.url()).searchParams.get('until')).toMatch(/^20(19|20)-\d\d-\d\dT/)
  await page.goBack()
  await started.getByRole('button', { name: /^Record / }).press('Enter')
  const panel = page.getByRole('region', { name: 'The record' })
  await panel.getByText('"actorId": "ana"').waitFor()
  const { records } = (await server.call('GET /v1/audit?limit=1', { as: AUDITOR })).body
  await panel.getByText(records[0].hash).waitFor()
  await panel.getByText(records[0].mac).waitFor()
  // A link leads to the record, also where the filter leaves it out.
  const link = new URL(page.url())
  link.searchParams.set('actor', 'nobody')
  await page.goto(link.href)
  await panel.getByText('"actorId": "ana"').waitFor()
  await panel.getByRole('link', { name: 'The run that it is about' }).click()
  await page.waitForURL(`${server.url}/runs/${run}`)
})

it('pages through a long log by its cursor, and saves what the filter chooses as the lines of the interface [AUT-12]', async () => {
  await using server = await open()
  const run = await server.started()
  for (let at = 0; at < 60; at += 1)
    await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  await using tab = await browser.open(`${server.url}/audit?actor=eye`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab)
  const rows = page.getByRole('button', { name: /^Record / })
  await page.getByRole('button', { name: 'Older records' }).waitFor()
  expect(await rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Older records' }).click()
  await page.getByRole('button', { name: 'To the newest' }).waitFor()
  await page.getByRole('button', { name: 'Record 2', exact: true }).waitFor()
  expect(await rows.count()).toBe(10)
  expect(new URL(page.url()).searchParams.get('before')).toMatch(/^\d+$/)
  await page.goBack()
  await page.getByRole('button', { name: 'Older records' }).waitFor()
  expect(await rows.count()).toBe(50)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as NDJSON' }).click()
  const saved = await saving
  await page.getByRole('status', { name: 'Export' }).getByText('60 records saved').waitFor()
  expect(saved.suggestedFilename()).toBe('audit.ndjson')
  const { text } = await server.call('GET /v1/audit?actor=eye&limit=1000&format=ndjson', { as: AUDITOR })
  expect(readFileSync(await saved.path(), 'utf8')).toBe(text)
})

it('checks the chain and says what that proves; a record that was altered is told, and one that was taken out [AUT-12]', async () => {
  const directory = testFolder()
  await using server = await open(directory)
  const run = await server.started()
  await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  for (const signalType of ['PAUSE', 'RESUME', 'PAUSE']) await server.signal(run, { signalType })
  await using tab = await browser.open(`${server.url}/audit`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab)
  const result = page.getByRole('status', { name: 'Result of the check' })
  const check = page.getByRole('button', { name: 'Check the whole chain' })
  await check.click()
  await result.getByText('chain whole').waitFor()
  await result.getByText('It does not show who made the chain').waitFor()
  await result.getByText('keelson verify --audit').waitFor()
  const { head } = (await server.call('GET /v1/audit?limit=1', { as: ANA })).body
  await result.getByText(/^Its end is /).waitFor()
  expect(head.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(await page.getByText('altered').count()).toBe(0)
  using database = new DatabaseSync(join(directory, 'keelson.db'))
  database.exec('DROP TRIGGER audit_log_never_changes; DROP TRIGGER audit_log_never_goes')
  database.exec(`UPDATE audit_log SET record = replace(record, '"eye"', '"eve"') WHERE position = 2`)
  await page.getByRole('button', { name: 'Look again' }).click()
  const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Record 2', exact: true }) })
  await row.getByText('its hash is not that of its text').waitFor()
  await check.click()
  await result.getByText('record 2: its hash is not that of its text').waitFor()
  await result.getByText('This log was altered').waitFor()
  // Sealed anew: its own hash fits, and the next record shows it.
  database.function('sha256', (text) => new Uint8Array(hash('sha256', String(text), 'buffer')))
  database.exec(`UPDATE audit_log SET hash = sha256(record) WHERE position = 2`)
  await check.click()
  await result.getByText('record 3: it does not follow the record before it').waitFor()
  database.exec('DELETE FROM audit_log WHERE position = 4')
  await check.click()
  await result.getByText('record 5: it follows record 3: what was between them is gone').waitFor()
})

it('says why somebody may not see it, and which roles may', async () => {
  await using server = await open()
  await using tab = await browser.open(`${server.url}/audit`)
  tab.expects(401, 404)
  await enter(tab, 'acme.vic.viewer')
  await tab.page.getByText('Your role viewer may not do this (AUDIT_READ). The role auditor or Admin may.').waitFor()
})

it('executes nothing of what records and addresses say, and is fine everywhere', async () => {
  await using server = await open()
  const run = await server.started()
  for (const text of XSS.slice(0, 20))
    await server.call(`POST /v1/executions/${encodeURIComponent(text.slice(0, 200))}/cancel`, { as: ANA, body: {} })
  await server.call(`POST /v1/executions/${run}/cancel`, { as: 'acme.eye.viewer', body: {} })
  const hostile = encodeURIComponent((XSS[3] ?? '').slice(0, 60))
  const pages = [
    ['/audit', 'RUN_NOT_FOUND'],
    ['/audit?record=1', 'of the record before'],
    [`/audit?actor=${hostile}&target=${hostile}&action=${hostile}`, 'No record fits.'],
  ] as const
  await fineEverywhere(browser, { url: server.url, pages, enter })
  await using tab = await browser.open(`${server.url}/audit`)
  tab.expects(401, 404)
  await enter(tab)
  await tab.page.getByText('RUN_NOT_FOUND').first().waitFor()
  expect(await tab.page.evaluate('window.executed')).toBeUndefined()
})
