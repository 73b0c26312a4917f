/** Answers that get lost on their way to a real browser: what is sent once more counts once, and what was refused is another request. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { GATED, testSteps } from './plans.ts'

const browser = testBrowser()

const NOTE = `
plan: note
version: 1.0.0
inputs: { type: object, properties: { text: { type: string } } }
steps: [{ id: write, run: echo, with: { text: '\${input.text}' } }]
`

/** The server does what it is asked, and the browser never learns it. */
async function loseNextAnswer(page: Page, path: RegExp): Promise<void> {
  await page.route(
    path,
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
}

const runsOf = async (server: Served): Promise<readonly { readonly executionId: string }[]> =>
  (await server.call('GET /v1/executions', { as: '' })).body.executions

it('a start whose answer got lost is the same run when it is sent again, and another one when its input changed', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(NOTE, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/note/start`)
  const { page } = tab
  tab.expects(/net::ERR_/, 500, 503)
  const text = page.getByLabel('text')
  await text.fill('hello')
  await loseNextAnswer(page, /\/v1\/executions$/)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('whether the request was carried out is not known').waitFor()
  expect(await runsOf(server)).toHaveLength(1)
  // Another body is another start, also between the two.
  await loseNextAnswer(page, /\/v1\/executions$/)
  await text.fill('bye')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await expect.poll(async () => (await runsOf(server)).length).toBe(2)
  await page.getByText('whether the request was carried out is not known').waitFor()
  await text.fill('hello')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL('**/runs/*')
  const runs = await runsOf(server)
  expect(runs).toHaveLength(2)
  expect(new URL(page.url()).pathname).toBe(`/runs/${runs[1]?.executionId}`)
})

it('a fork whose answer got lost is started once', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(NOTE, LOCAL)
  const id = await start(server, 'note', { text: 'a' })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}/fork`)
  const { page } = tab
  tab.expects(/net::ERR_/, 500, 503)
  await page.getByText('No effect is repeated in the world.').waitFor()
  await loseNextAnswer(page, /\/fork$/)
  await page.getByRole('button', { name: 'Start the fork' }).click()
  await page.getByText('whether the request was carried out is not known').waitFor()
  await page.getByRole('button', { name: 'Start the fork' }).click()
  await page.getByRole('status').getByRole('link', { name: /^run / }).waitFor()
  expect(await runsOf(server)).toHaveLength(2)
})

it('an act whose answer got lost is one act in the log', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(GATED, LOCAL)
  const id = await start(server, 'gated')
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page } = tab
  tab.expects(/net::ERR_/, 500, 503)
  await page.getByRole('button', { name: 'Pause' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pause the run' })
  await loseNextAnswer(page, /\/signals$/)
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByText('whether the request was carried out is not known').waitFor()
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByRole('status', { name: 'Decision' }).getByText('in the log: SignalAccepted').waitFor()
  const { events } = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body
  const signals = events.filter(({ eventType }: { readonly eventType: string }) => eventType.startsWith('Signal'))
  expect(signals).toHaveLength(1)
  gate.open()
})
