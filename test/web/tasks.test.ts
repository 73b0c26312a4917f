/** Tasks in a real browser: a second person approves by keyboard alone, and the first is told why not before trying. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ended, LOCAL, servedPage, testBrowser } from './browser.ts'

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

/** Walks by Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(`(() => {
      const one = document.activeElement
      return one?.labels?.[0]?.textContent ?? one?.textContent ?? ''
    })()`)
    if (String(at).startsWith(name)) return
  }
  throw new Error(`no way to ${name} by Tab`)
}

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
