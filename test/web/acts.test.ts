/** Acts on a run in a real browser: foreseen by the core, decided by the server, and shown when the log says so. */
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED, testSteps } from './plans.ts'

const browser = testBrowser()

/** Two steps are done and can be undone; the third stands until it is let go or stopped. */
const SAGA_AT_WORK = `
plan: saga-at-work
version: 1.0.0
steps:
  - { id: reserve, run: echo, compensate: { run: echo } }
  - { id: charge, run: echo, dependsOn: [reserve], compensate: { run: echo } }
  - { id: ship, run: stands, dependsOn: [charge], retry: { maxAttempts: 1 } }
`

const stands = (_input: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

it('foresees the undoing of a cancelled saga, and the log then has exactly those events', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps: { ...steps, stands } })
  await server.publish(SAGA_AT_WORK, LOCAL)
  const id = await start(server, 'saga-at-work')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: /^ship .*, running$/ }).waitFor()
  const before = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body.events.length
  await page.getByRole('button', { name: 'Cancel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel the run' })
  expect(await dialog.getByText(/undone, in this order/).count()).toBe(0)
  await dialog.getByLabel('Undo what it has done').check()
  await dialog.getByText('undone, in this order: charge, reserve').waitFor()
  await dialog.getByText('is asked to stop: ship').waitFor()
  await dialog.getByText('the run ends CANCELLED').waitFor()
  const foreseen = await dialog.getByRole('group').locator('ol code').allTextContents()
  await dialog.getByLabel('Reason').fill('wrong address')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const decision = dialog.getByRole('status', { name: 'Decision' })
  await decision.getByText('accepted', { exact: true }).waitFor()
  await decision.getByText('in the log: SignalAccepted').waitFor()
  await ended(server, id)
  const { events } = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body
  const types = events.map(({ eventType }: { readonly eventType: string }) => eventType)
  expect(types.slice(before)).toEqual(foreseen)
  expect(types.filter((type: string) => type === 'CompensationCompleted')).toHaveLength(2)
  expect(troubles).toEqual([])
})

it('shows a pause of one browser in another, and prints how soon', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using one = await browser.open(`${server.url}/runs/${id}`)
  await using other = await browser.open(`${server.url}/runs/${id}`)
  await one.page.getByRole('button', { name: 'Pause' }).click()
  const status = other.page.getByRole('status', { name: 'Status of the run' })
  await status.getByText('running').waitFor()
  const seen = status.getByText('paused').waitFor()
  const pause = one.page.getByRole('dialog').getByRole('button', { name: 'Pause' })
  await pause.waitFor()
  const sentAt = performance.now()
  await pause.click()
  await seen
  console.log(`a pause in one browser was seen in another after ${Math.round(performance.now() - sentAt)} ms`)
  gate.open()
  expect([one.troubles, other.troubles]).toEqual([[], []])
})

it('lets a second person accept what waits for one, and not who asked for it', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps }, { approvalFor: ['PAUSE'] })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: 'Pause' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pause the run' })
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByText('waits for a second person').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('you asked for it: somebody else decides').waitFor()
  expect(await page.getByRole('button', { name: 'Accept' }).isDisabled()).toBe(true)
  await page.getByText('local @ local').click()
  await page.getByLabel('Name, or empty for the local user').fill('bo')
  await page.getByRole('button', { name: 'Be that person' }).click()
  await page.getByText('bo @ local').waitFor()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('paused').waitFor()
  gate.open()
  expect(troubles).toEqual([])
})

/** An act of somebody else, through the interface. */
async function actAs(
  server: Served,
  person: string,
  id: string,
  signalType: string,
  payload: object = {},
): Promise<number> {
  const { status } = await server.call(`POST /v1/executions/${id}/signals`, {
    as: '',
    headers: { 'x-keelson-act-as': person },
    body: { signalId: crypto.randomUUID(), signalType, payload },
  })
  return status
}

it('names who set the pause that holds, also after others have acted on the run', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await actAs(server, 'ana', id, 'PAUSE', { reason: 'stock count' })
  await actAs(server, 'bo', id, 'UPDATE_PARAMS', { params: { a: 1 }, reason: 'prices' })
  await using tab = await browser.open(`${server.url}/runs/${id}?step=second`)
  const { page, troubles } = tab
  await page.getByText(/^paused by ana since .*, "stock count"$/).waitFor()
  await page.getByText(/the run is paused by ana since .*, "stock count"/).waitFor()
  expect(await page.getByText(/paused by bo/).count()).toBe(0)
  gate.open()
  expect(troubles).toEqual([])
})

it('leaves an act behind with the page on which it was opened', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'gated' }).first().click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Cancel the run' }).waitFor()
  await page.goBack()
  await page.getByLabel('Filter runs').waitFor()
  await page.goForward()
  await page.waitForURL(`**/runs/${id}`)
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  gate.open()
  expect(troubles).toEqual([])
})

it('shows every act on a run that waits for a second person, and no trouble that has passed', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps }, { approvalFor: ['PAUSE'] })
  await server.publish(GATED, LOCAL)
  const [id, other] = [await start(server, 'gated'), await start(server, 'gated')]
  await actAs(server, 'ana', id, 'PAUSE', { reason: 'the first' })
  for (let times = 0; times < 55; times += 1) await actAs(server, 'ana', other, 'PAUSE')
  await actAs(server, 'ana', id, 'PAUSE', { reason: 'the last' })
  await using tab = await browser.open('about:blank')
  const { page } = tab
  tab.expects(/net::ERR_/)
  await page.goto(`${server.url}/runs/${id}`)
  const waiting = page.getByRole('region', { name: 'Acts that wait for a second person' })
  await waiting.getByText('"the first"').waitFor()
  await waiting.getByText('"the last"').waitFor()
  expect(await waiting.getByRole('button', { name: 'Accept' }).count()).toBe(2)
  await page.route('**/v1/decisions?*', (route) => route.abort('connectionreset'))
  await page.goto(`${server.url}/tasks`)
  await page.getByRole('alert').getByText('SERVER_UNREACHABLE').waitFor()
  await page.unroute('**/v1/decisions?*')
  await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  await expect.poll(() => waiting.getByRole('button', { name: 'Accept' }).count()).toBe(50)
  await waiting.getByRole('button', { name: 'All 57' }).click()
  expect(await waiting.getByRole('button', { name: 'Accept' }).count()).toBe(57)
  gate.open()
})

it('shows an act that somebody else asks for while nothing else happens to the run', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps }, { approvalFor: ['PAUSE'] })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('button', { name: /^first .*, running$/ }).waitFor()
  await actAs(server, 'ana', id, 'PAUSE', { reason: 'stock count' })
  const waiting = page.getByRole('region', { name: 'Acts that wait for a second person' })
  await waiting.getByText('ana asks for PAUSE').waitFor()
  await waiting.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('status', { name: 'Status of the run' }).getByText('paused').waitFor()
  gate.open()
  expect(troubles).toEqual([])
})
