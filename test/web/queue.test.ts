/** The queue, limits, pauses and pools in a real browser: who waits is seen, freed, approved and rejected, and what is set there holds. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { until } from '../fixtures/until.ts'
import { onceGated } from '../server/gated-step.ts'
import { ANA, served, type Served } from '../server/served.ts'
import { LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const SIGNED = `
plan: signed
version: 1.0.0
steps: [{ id: sign, manual: { title: Sign, rule: MakerChecker } }]
`

const short = (id: string): string => id.slice(0, 8)

const statusOf = async (server: Served, id: string): Promise<string> =>
  (await server.call(`GET /v1/executions/${id}`, { as: '' })).body.status

const becomes = (server: Served, id: string, status: string): Promise<void> =>
  until(async () => (await statusOf(server, id)) === status)

async function admit(server: Served, planId: string, maker: string): Promise<string> {
  const how = { as: '', headers: { 'x-keelson-act-as': maker }, body: { planId, queue: true, needsApproval: true } }
  return (await server.call('POST /v1/executions', how)).body.executionId
}

async function actAs(page: Page, name: string): Promise<void> {
  await page.getByTitle('Act as another person').click()
  await page.getByRole('dialog').getByRole('textbox').fill(name)
  await page.getByRole('button', { name: 'Be that person' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

it('sets a limit that makes a start wait, shows what it waits for, and sees it start when there is room', async () => {
  const gate = onceGated()
  await using server = await servedPage(
    { steps: { gated: gate.step, echo: (input: unknown) => input ?? null } },
    { hasClockwork: true },
  )
  await server.publish(GATED, LOCAL)
  await using tab = await browser.open(`${server.url}/pools`)
  const { page, troubles } = tab
  await page.getByText('Nothing limits starts.').waitFor()
  await page.getByRole('button', { name: 'New limit' }).click()
  expect(new URL(page.url()).searchParams.get('limit')).toBe('new')
  const form = page.getByRole('form', { name: 'New limit' })
  await form.getByLabel('Plan', { exact: true }).fill('gated')
  await form.getByLabel('Runs at once').fill('1')
  await form.getByRole('button', { name: 'Set the limit …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It allows 1 at once; a start without room waits').waitFor()
  await dialog.getByText('It is recorded as an act of local').waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
  expect((await server.call('GET /v1/limits', { as: '' })).body.limits).toEqual([])
  await form.getByRole('button', { name: 'Set the limit …' }).click()
  await dialog.getByRole('button', { name: 'Set it' }).click()
  const row = page.getByRole('row').filter({ hasText: 'plan:gated' })
  await row.getByText('by local').waitFor()
  const first = await start(server, 'gated')
  await gate.begun
  const second = await start(server, 'gated')
  expect(await statusOf(server, second)).toBe('PENDING')
  const places = page.getByRole('region', { name: 'Places for runs' })
  await places.getByRole('img', { name: '1 of 1 in use, 1 in line' }).waitFor()
  await places.getByRole('link', { name: `run ${short(first)}` }).waitFor()
  await page.getByRole('link', { name: 'queue', exact: true }).click()
  const waiting = page.getByRole('region', { name: 'Wait for the limit plan:gated' })
  await waiting.getByText('It allows 1 at once; a start without room waits').waitFor()
  await waiting.getByRole('link', { name: `gated 1.0.0, run ${short(second)}` }).waitFor()
  await waiting.getByText('one of these ends:').waitFor()
  await waiting.getByRole('link', { name: `run ${short(first)}`, exact: true }).waitFor()
  await waiting.getByRole('button', { name: `Start now gated ${short(second)}` }).click()
  await dialog.getByRole('button', { name: 'Start now' }).click()
  await page.getByRole('status', { name: 'What came of it' }).getByText('was not started').waitFor()
  gate.open()
  await page.getByText('Nothing waits to start.').waitFor()
  await becomes(server, second, 'COMPLETED')
  expect(troubles).toEqual([])
})

it('changes a limit so that a start is refused, and removes it after asking', async () => {
  const gate = onceGated()
  await using server = await servedPage({ steps: { gated: gate.step, echo: () => null } }, { hasClockwork: true })
  await server.publish(GATED, LOCAL)
  await server.call('PUT /v1/limits/plan:gated', { as: '', body: { maxRunning: 5 } })
  await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/pools`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Change plan:gated' }).click()
  const form = page.getByRole('form', { name: 'Change the limit plan:gated' })
  expect(await form.getByLabel('Runs at once').inputValue()).toBe('5')
  await form.getByLabel('Runs at once').fill('1')
  await form.getByLabel('A start without room').selectOption('REJECT')
  await form.getByRole('button', { name: 'Change the limit …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('is refused with RUN_LIMIT_REACHED').waitFor()
  await dialog.getByText('Now it allows 5 at once').waitFor()
  await dialog.getByRole('button', { name: 'Set it' }).click()
  await page.getByRole('row').filter({ hasText: 'plan:gated' }).getByText('REJECT').waitFor()
  const asked = { as: '', body: { planId: 'gated' } }
  const refused = await server.call('POST /v1/executions', asked)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RUN_LIMIT_REACHED'])
  await page.getByRole('button', { name: 'Remove plan:gated' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Nothing limits starts.').waitFor()
  expect((await server.call('POST /v1/executions', asked)).status).toBe(202)
  gate.open()
  expect(troubles).toEqual([])
})

it('tells the maker why they may not approve, and lets a second person approve one run and reject another', async () => {
  await using server = await servedPage({}, { hasClockwork: true })
  await server.publish(SIGNED, LOCAL)
  const [approved, rejected] = [await admit(server, 'signed', 'ana'), await admit(server, 'signed', 'ana')]
  await using tab = await browser.open(`${server.url}/queue`)
  const { page, troubles } = tab
  await actAs(page, 'ana')
  const asks = page.getByRole('region', { name: 'Wait for approval' })
  await asks.getByText('not by you: ana may not approve the run: ana asked for it (MakerChecker)').first().waitFor()
  expect(
    await asks
      .getByRole('button', { name: /^Approve/ })
      .first()
      .isDisabled(),
  ).toBe(true)
  await actAs(page, 'bob')
  await asks.getByText('not by you').first().waitFor({ state: 'hidden' })
  const dialog = page.getByRole('dialog')
  await asks.getByRole('button', { name: `Reject … signed ${short(rejected)}` }).click()
  await dialog.getByLabel('Reason').fill('not this week')
  await dialog.getByRole('button', { name: 'Reject' }).click()
  const told = page.getByRole('status', { name: 'What came of it' })
  await told.getByText(`signed ${short(rejected)} is rejected, and cancelled.`).waitFor()
  await becomes(server, rejected, 'CANCELLED')
  const log = await server.call(`GET /v1/executions/${rejected}/events`, { as: '' })
  expect(log.text).toContain('not this week')
  await asks.getByRole('button', { name: `Approve signed ${short(approved)}` }).click()
  await dialog.getByText('It is recorded as an act of bob').waitFor()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await told.getByText(`signed ${short(approved)} is approved.`).waitFor()
  await becomes(server, approved, 'RUNNING')
  await page.getByText('Nothing waits to start.').waitFor()
  expect(troubles).toEqual([])
})

it('pauses a plan with a reason, says since when and by whom, and lifts the pause after asking [P-23]', async () => {
  const gate = onceGated()
  await using server = await servedPage({ steps: { gated: gate.step, echo: () => null } })
  await server.publish(GATED, LOCAL)
  const run = await start(server, 'gated')
  await gate.begun
  await using tab = await browser.open(`${server.url}/pools`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'New pause' }).press('Enter')
  const form = page.getByRole('form', { name: 'New pause' })
  await form.getByLabel('Plan', { exact: true }).fill('gated')
  await form.getByLabel('Reason').fill('stock count')
  await form.getByLabel('Reason').press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Every run of gated pauses').waitFor()
  await dialog.getByRole('button', { name: 'Pause' }).click()
  const pauses = page.getByRole('region', { name: 'Pauses' })
  await pauses.getByText('by local').waitFor()
  await pauses.getByText('stock count').waitFor()
  await becomes(server, run, 'PAUSED')
  await pauses.getByRole('link', { name: 'plan:gated' }).click()
  await page.getByRole('link', { name: `gated 1.0.0, run ${short(run)}` }).waitFor()
  await page.goBack()
  await pauses.getByRole('button', { name: 'Lift plan:gated' }).click()
  await dialog.getByText('Those that a person paused stay paused.').waitFor()
  await dialog.getByRole('button', { name: 'Lift' }).click()
  await pauses.getByText('Nothing pauses runs as a whole.').waitFor()
  await becomes(server, run, 'RUNNING')
  gate.open()
  expect(troubles).toEqual([])
})

it('tells a viewer why they may not, and starts nothing for them', async () => {
  await using server = await served({}, { page: pageFiles() })
  await server.publish(SIGNED)
  await server.call('POST /v1/executions', { as: ANA, body: { planId: 'signed', queue: true, needsApproval: true } })
  await using tab = await browser.open(`${server.url}/queue`)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('acme.vic.viewer')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByText('Your role viewer may not do this (RUN_APPROVE).').waitFor()
  expect(await page.getByRole('button', { name: /^Approve/ }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: /^Reject/ }).isDisabled()).toBe(true)
  await page.goto(`${server.url}/pools`)
  await page.getByText('Nothing limits starts.').waitFor()
  for (const name of ['New limit', 'New pause'])
    expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
  // Before a key is given the page asks who it is, and whether there is a login: the browser tells of 401 and 404.
})

it('shows hostile names and reasons as texts, wide and narrow', async () => {
  const gate = onceGated()
  await using server = await servedPage({ steps: { gated: gate.step, echo: () => null } })
  await server.publish(GATED, LOCAL)
  const text = XSS.join(' ').slice(0, 480)
  const scope = `plan:${XSS[0] ?? ''}`
  await server.call(`PUT /v1/limits/${encodeURIComponent(scope)}`, { as: '', body: { maxRunning: 1 } })
  await server.call('PUT /v1/limits/tenant', { as: '', body: { maxRunning: 1 } })
  for (const paused of [scope, 'plan:none'])
    await server.call(`PUT /v1/pauses/${encodeURIComponent(paused)}`, { as: '', body: { reason: text } })
  await start(server, 'gated')
  await start(server, 'gated')
  for (const width of [1440, 360]) {
    await using tab = await browser.open(`${server.url}/pools?limit=${encodeURIComponent(scope)}`, {
      viewport: { width, height: 800 },
    })
    const { page, troubles } = tab
    await page.getByRole('region', { name: 'Pauses' }).getByText(text).first().waitFor()
    await page.getByRole('form', { name: 'Change the limit' }).waitFor()
    await page.goto(`${server.url}/queue?most=${encodeURIComponent(XSS[1] ?? '')}`)
    await page.getByRole('region', { name: 'Wait for the limit tenant' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.evaluate('window.executed')).toBeUndefined()
    expect(troubles).toEqual([])
  }
  gate.open()
})
