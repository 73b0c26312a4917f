/** Tasks in a real browser: a second person approves by keyboard alone, and the first is told why not before trying. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { tabTo } from './keyboard.ts'

const browser = testBrowser()

const ORDER = `
plan: order
version: 1.0.0
steps:
  - id: sign
    manual:
      title: Sign the order
      rule: MakerChecker
      evidenceSchema: { type: object, required: [amount], properties: { amount: { type: number }, checked: { type: boolean } } }
  - { id: pay, run: echo, dependsOn: [sign], with: { amount: '\${steps.sign.output.amount}' } }
`

async function be(page: Page, person: string): Promise<void> {
  await tabTo(page, 'ana @ local')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Name, or empty')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(person)
  await page.keyboard.press('Enter')
  await page.getByText(`${person} @ local`).waitFor()
}

it('a second person approves by keyboard alone, and the first was told why not', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.evaluate("sessionStorage.setItem('keelson.act-as', 'ana')")
  const begun = await server.call('POST /v1/executions', {
    as: '',
    headers: { 'x-keelson-act-as': 'ana' },
    body: { planId: 'order', input: {} },
  })
  const id: string = begun.body.executionId
  await page.goto(`${server.url}/tasks`)
  await page.getByText(/^not by you: ana may not complete 'sign'.*MakerChecker/).waitFor()
  await tabTo(page, 'Sign the order')
  await page.keyboard.press('Enter')
  await page.getByText(/^You may not complete it: AUTHZ_DENIED/).waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await be(page, 'bo')
  const releases = page.getByRole('region', { name: 'what approving releases' })
  await releases.getByText('starts: pay').waitFor()
  await page.getByLabel('amount').waitFor()
  await tabTo(page, 'amount')
  await page.keyboard.type('12.5')
  await tabTo(page, 'Approve')
  await page.keyboard.press('Enter')
  await page.getByRole('status', { name: 'Result' }).getByText('Recorded: Succeeded.').waitFor()
  await ended(server, id)
  await page.getByText('Nothing waits for a person.').waitFor()
  const { events } = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body
  const signed = events.find((one: { readonly eventType: string }) => one.eventType === 'StepCompleted')
  expect(signed.payload.actorId).toBe('bo')
  expect(troubles).toEqual([])
})

it('a step that waits for a person leads to its task, and one that is not open says so', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(ORDER.replace('rule: MakerChecker', ''), LOCAL)
  const { body } = await server.call('POST /v1/executions', { as: '', body: { planId: 'order', input: {} } })
  await using tab = await browser.open(`${server.url}/runs/${body.executionId}?step=sign`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'open the task' }).click()
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('status', { name: 'Result' }).getByText('Recorded: Failed.').waitFor()
  await ended(server, body.executionId)
  await page.reload()
  await page.getByText('This task is not open').waitFor()
  expect(troubles).toEqual([])
})

it('takes no Enter in a field for an answer, and keeps the lines of the notes', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(ORDER.replace('rule: MakerChecker', ''), LOCAL)
  const id = await start(server, 'order')
  await using tab = await browser.open(`${server.url}/tasks`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Sign the order' }).click()
  await page.getByLabel('amount').fill('12.5')
  await page.getByLabel('amount').press('Enter')
  await page.getByLabel('Notes').fill('weighed')
  await page.getByLabel('Notes').press('Enter')
  await page.keyboard.type('and counted')
  expect(await page.getByLabel('Notes').inputValue()).toBe('weighed\nand counted')
  // It would have been sent before this one.
  expect((await server.call('GET /v1/tasks', { as: '' })).body.tasks).toHaveLength(1)
  expect(await page.getByRole('status', { name: 'Result' }).count()).toBe(0)
  await page.getByLabel('amount').fill('')
  await page.getByRole('button', { name: 'Approve' }).click()
  expect((await server.call('GET /v1/tasks', { as: '' })).body.tasks).toHaveLength(1)
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('status', { name: 'Result' }).getByText('Recorded: Failed.').waitFor()
  await ended(server, id)
  const { events } = (await server.call(`GET /v1/executions/${id}/events`, { as: '' })).body
  expect(JSON.stringify(events)).toContain(String.raw`weighed\nand counted`)
  expect(troubles).toEqual([])
})

it('a task that is opened again while one looks has its form again', async () => {
  await using server = await servedPage({ steps: { echo: (input: unknown) => input ?? null } })
  await server.publish(
    ORDER.replace('rule: MakerChecker', '').replace('steps:', 'policy: { onFailure: hold }\nsteps:'),
    LOCAL,
  )
  const id = await start(server, 'order')
  await using tab = await browser.open(`${server.url}/tasks`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: 'Sign the order' }).click()
  await page.getByRole('button', { name: 'Reject' }).click()
  const result = page.getByRole('status', { name: 'Result' })
  await result.getByText('Recorded: Failed.').waitFor()
  await page.getByText('Nothing waits for a person.').waitFor()
  const { status } = await server.call(`POST /v1/executions/${id}/signals`, {
    as: '',
    body: { signalId: crypto.randomUUID(), signalType: 'RETRY_STEP', payload: { stepId: 'sign', reason: 'again' } },
  })
  expect(status).toBe(200)
  await page.getByLabel('amount').fill('3')
  expect(await result.count()).toBe(0)
  await page.getByRole('button', { name: 'Approve' }).click()
  await result.getByText('Recorded: Succeeded.').waitFor()
  await ended(server, id)
  expect(troubles).toEqual([])
})
