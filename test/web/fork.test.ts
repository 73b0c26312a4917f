/** Forks in a real browser: from a run, a step and an event; with another input and another version; what they repeat is told before. */
import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { served } from '../server/served.ts'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { BUSY, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

/** The last step fails while the text is `bad`; the one before it cannot be undone. */
const ORDER = (version: string, last: string): string => `
plan: order
version: ${version}
inputs: { type: object, properties: { text: { type: string }, count: { type: integer } }, required: [text] }
steps:
  - { id: reserve, run: echo, with: { count: '\${input.count}' } }
  - { id: charge, run: echo, dependsOn: [reserve], effect: irreversible, retry: { maxAttempts: 1 } }
  - { id: ship, run: ${last}, dependsOn: [charge], with: { text: '\${input.text}' }, retry: { maxAttempts: 1 } }
`

const picky = (input: unknown): unknown => {
  if ((input as { readonly text: string }).text !== 'good')
    throw Object.assign(new Error('bad text'), { code: 'BAD_TEXT' })
  return input
}

/** A checkbox, as far as the test asks it. */
interface Checkable {
  readonly validity: { readonly valueMissing: boolean }
}

/** The run that the page says was started. */
async function startedOn(page: Page): Promise<string> {
  const link = page.getByRole('status').getByRole('link', { name: /^run / })
  return String(await link.getAttribute('href')).replace('/runs/', '')
}

it('forks a failed run with another input: what is taken over stays, and both runs lead to each other', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps: { ...steps, picky } })
  await server.publish(ORDER('1.0.0', 'picky'), LOCAL)
  const id = await start(server, 'order', { text: 'bad', count: 3 })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Run again, as a fork' }).click()
  await page.getByRole('list', { name: 'Steps taken over' }).getByText('charge').waitFor()
  const again = page.getByRole('list', { name: 'Steps done again' })
  await again.getByText('not finished').waitFor()
  expect(await page.getByLabel('text required').inputValue()).toBe('bad')
  expect(await page.getByLabel('count').inputValue()).toBe('3')
  await page.getByText('as the old run had it').waitFor()
  await page.getByLabel('text required').fill('good')
  await page.getByText('another than the old run had').waitFor()
  await page.getByText('another input: text').waitFor()
  await page.getByText('No effect is repeated in the world.').waitFor()
  await page.getByRole('button', { name: 'Start the fork' }).click()
  const fork = await startedOn(page)
  await page.getByRole('link', { name: /^run / }).click()
  const status = page.getByRole('status', { name: 'Status of the run' })
  await status.getByText('completed').waitFor()
  const { originalExecutionId } = (await server.call(`GET /v1/executions/${fork}`, { as: '' })).body
  expect(originalExecutionId).toBe(id)
  const related = page.getByRole('region', { name: 'Related runs' })
  await related
    .getByText('it goes on from')
    .getByRole('link', { name: `run ${id.slice(0, 8)}` })
    .click()
  await status.getByText('failed').waitFor()
  await related
    .getByText('forked into')
    .getByRole('link', { name: `run ${fork.slice(0, 8)}` })
    .click()
  await status.getByText('completed').waitFor()
  expect(troubles).toEqual([])
})

it('forks from a step by the keyboard alone, and repeats what cannot be undone only when somebody says so', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER('1.0.0', 'echo'), LOCAL)
  const id = await start(server, 'order', { text: 'a', count: 1 })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=reserve`)
  const { page, troubles } = tab
  const link = page.getByRole('link', { name: 'Fork from reserve' })
  await link.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).search).toBe('?from=reserve')
  const repeats = page.getByRole('list', { name: 'Effects that are repeated' })
  await repeats.getByText(/charge was done already and is not undone, and cannot be undone/).waitFor()
  await page.getByRole('list', { name: 'Steps done again' }).getByText('asked for').waitFor()
  await page.getByRole('button', { name: 'Start the fork' }).focus()
  await page.keyboard.press('Enter')
  const agree = page.getByLabel('Repeat what cannot be undone: charge')
  // The browser itself asks for it; nothing was sent.
  expect(await agree.evaluate((box: Checkable) => box.validity.valueMissing)).toBe(true)
  await agree.focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Start the fork' }).focus()
  await page.keyboard.press('Enter')
  const fork = await startedOn(page)
  await ended(server, fork)
  const runs = (await server.call('GET /v1/executions', { as: '' })).body.executions
  expect(runs.map(({ executionId }: { readonly executionId: string }) => executionId).sort()).toEqual([id, fork].sort())
  expect(troubles).toEqual([])
})

it('forks from an event onto another version of the plan, and tells what that changes', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps: { ...steps, picky } })
  await server.publish(ORDER('1.0.0', 'picky'), LOCAL)
  const id = await start(server, 'order', { text: 'bad', count: 1 })
  await ended(server, id)
  await server.publish(ORDER('1.1.0', 'echo'), LOCAL)
  const { events } = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body
  const first = events.find(({ eventType }: { readonly eventType: string }) => eventType === 'StepCompleted').runSeq
  await using tab = await browser.open(`${server.url}/runs/${id}?at=${first}`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: `Fork from event ${first}` }).click()
  await page.getByRole('list', { name: 'Steps taken over' }).getByText('reserve').waitFor()
  await page.getByRole('list', { name: 'Effects that are repeated' }).getByText('charge').waitFor()
  await page.getByLabel('Take over results up to event').fill('')
  await page.getByLabel('Version of the plan').selectOption('1.1.0')
  await page.getByText('ship: run').waitFor()
  await page.getByRole('list', { name: 'Steps done again' }).getByText('not finished').waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('?version=1.1.0')
  await page.getByRole('button', { name: 'Start the fork' }).click()
  const fork = await startedOn(page)
  await ended(server, fork)
  const made = (await server.call(`GET /v1/executions/${fork}`, { as: '' })).body
  expect([made.planVersion, made.status, made.originalExecutionId]).toEqual(['1.1.0', 'COMPLETED', id])
  expect(troubles).toEqual([])
})

it('says why a run cannot be forked, what in an input is no JSON, and who may not', async () => {
  const { steps, gate } = testSteps()
  await using server = await servedPage({ steps: { ...steps, picky: gate.step } })
  await server.publish(ORDER('1.0.0', 'picky'), LOCAL)
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'order', { text: '<b>', count: 1 })
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  tab.expects(409)
  const { page } = tab
  await page.getByRole('link', { name: 'Compare' }).waitFor()
  expect(await page.getByRole('link', { name: /fork/i }).count()).toBe(0)
  await page.goto(`${server.url}/runs/${id}/fork`)
  await page.getByRole('alert').getByText('RUN_NOT_TERMINAL').waitFor()
  expect(await page.getByRole('button', { name: 'Start the fork' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'As JSON' }).click()
  await page.getByLabel('Input as JSON').fill('{"text":')
  await page.getByRole('alert').filter({ hasText: 'JSON' }).waitFor()
  gate.open()
})

it('tells an Operator, who may start runs and retry none, which role may fork', async () => {
  const { steps } = testSteps()
  await using server = await served({ steps: { ...steps, picky } }, { page: pageFiles() })
  await server.publish(ORDER('1.0.0', 'picky'))
  const started = await server.call('POST /v1/executions', { body: { planId: 'order', input: { text: 'bad' } } })
  const id = String(started.body.executionId)
  await expect.poll(async () => (await server.call(`GET /v1/executions/${id}`)).body.status).toBe('FAILED')
  await using tab = await browser.open(`${server.url}/runs/${id}/fork`)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('acme.olga.Operator')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByRole('list', { name: 'Steps done again' }).waitFor()
  const button = page.getByRole('button', { name: 'Start the fork' })
  expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
    true,
    'Your role Operator may not do this (RETRY_RUN). The role Engineer or Admin may.',
  ])
})

it('shows hostile texts of an old input as texts', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(ORDER('1.0.0', 'echo'), LOCAL)
  const id = await start(server, 'order', { text: XSS.join(' '), count: 1 })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}/fork?from=${encodeURIComponent(XSS[3] ?? '')}`)
  tab.expects(404)
  const { page } = tab
  await page.getByRole('alert').getByText('STEP_UNKNOWN').waitFor()
  expect(await page.getByLabel('text required').inputValue()).toContain('<img src=x')
  expect(await page.evaluate('window.executed')).toBeUndefined()
})
