/** The form of a start in a real browser: defaults, what is wrong beside the field, JSON that keeps what was typed, and the inputs of earlier runs. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'

const browser = testBrowser()
const STEPS = { echo: (input: unknown) => input ?? null }

const ORDER = `
plan: order
version: 1.0.0
inputs:
  type: object
  required: [orderId, amount]
  properties:
    orderId: { type: string, minLength: 3, pattern: '^[A-Z]', description: As the shop names it }
    amount: { type: integer, minimum: 1 }
    rate: { type: number, maximum: 1.5 }
    kind: { enum: [parcel, letter], default: parcel }
    gift: { type: boolean }
    lines: { type: array, items: { type: integer } }
    apiToken: { type: string }
steps: [{ id: pack, run: echo, with: { amount: '\${input.amount}' } }]
`

async function inputOf(server: Awaited<ReturnType<typeof servedPage>>, executionId: string): Promise<unknown> {
  const { events } = (await server.call(`GET /v1/executions/${executionId}/events`, { as: '' })).body
  return events.find((one: { readonly data?: object }) => one.data !== undefined && 'input' in one.data).data.input
}

it('says what is wrong beside each field, in words, until it is right, and starts by keyboard alone', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  tab.expects(400)
  const { page } = tab
  const order = page.getByLabel('orderId')
  const amount = page.getByLabel('amount')
  expect(await page.getByLabel('kind').inputValue()).toBe('parcel')
  await order.focus()
  await page.keyboard.press('Enter')
  await page.getByText('✕ is needed').first().waitFor()
  // What is wrong is told to who hears the field, and the first one has the focus.
  await expect.poll(() => order.evaluate((one) => one.ownerDocument.activeElement === one)).toBe(true)
  expect(await order.getAttribute('aria-invalid')).toBe('true')
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.type('ab')
  await amount.fill('12,5')
  await page.getByLabel('rate').fill('2')
  await page.getByLabel('lines').fill('[1, "two"]')
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Start', exact: true }).press('Enter')
  await page.getByText('✕ must have at least 3 characters').waitFor()
  await page.getByText('✕ must be a whole number').first().waitFor()
  await page.getByText('✕ must be at most 1.5').waitFor()
  await page.getByText('✕ [1] must be a whole number').waitFor()
  await order.fill('abc')
  await amount.fill('3')
  await page.getByLabel('rate').fill('')
  await page.getByLabel('lines').fill('[1, 2]')
  await amount.press('Enter')
  // What only the server knows, the pattern, stands at its field too.
  await page.getByRole('alert').getByText('RUN_INPUT_INVALID').waitFor()
  await page.locator('.field-problem').getByText('pattern').waitFor()
  expect(await order.getAttribute('aria-invalid')).toBe('true')
  await order.fill('Abc')
  await order.press('Enter')
  await page.waitForURL('**/runs/*')
  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  await ended(server, id)
  expect(await inputOf(server, id)).toEqual({ orderId: 'Abc', amount: 3, kind: 'parcel', lines: [1, 2] })
})

it('goes from the form to JSON and back without losing what was typed, also what no field takes', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  const { page, troubles } = tab
  await page.getByLabel('orderId').fill('A-1')
  await page.getByLabel('amount').fill('many')
  await page.getByRole('button', { name: 'As JSON' }).click()
  const json = page.getByLabel('Input as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual({ orderId: 'A-1', amount: 'many', kind: 'parcel' })
  await json.fill('{ "orderId": "A-2", "amount": 7, ')
  await page.getByRole('button', { name: 'As a form' }).click()
  await page.getByText(/✕ line 1, column \d+: /).waitFor()
  expect(await json.inputValue()).toBe('{ "orderId": "A-2", "amount": 7, ')
  await json.fill('{ "orderId": "A-2", "amount": 7, "gift": true, "note": "for ana" }')
  await page.getByRole('button', { name: 'As a form' }).click()
  await page.getByText('Also given, and without a field here: note.').waitFor()
  expect(await page.getByLabel('gift').inputValue()).toBe('true')
  expect(await page.getByLabel('kind').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL('**/runs/*')
  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  await ended(server, id)
  expect(await inputOf(server, id)).toMatchObject({ orderId: 'A-2', amount: 7, gift: true, note: 'for ana' })
  expect(troubles).toEqual([])
})

it('refuses a number that could not be kept exactly, before it is sent', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  const { page } = tab
  await page.getByLabel('orderId').fill('A-1')
  await page.getByLabel('amount').fill('12345678901234567890')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.field-problem').getByText('12345678901234567890').waitFor()
  expect((await server.call('GET /v1/executions', { as: '' })).body.executions).toEqual([])
})

it('begins with the input of an earlier run, without what may be a secret, and keeps it nowhere', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  const id = await start(server, 'order', { orderId: 'Z-9', amount: 42, apiToken: 'hunter2hunter2' })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/plans/order`)
  const { page, troubles } = tab
  await page.getByRole('link', { name: /^Start again with the input of/ }).click()
  await page.getByText('Left out, as secrets may be: apiToken.').waitFor()
  expect(await page.getByLabel('orderId').inputValue()).toBe('Z-9')
  expect(await page.getByLabel('amount').inputValue()).toBe('42')
  expect(await page.getByLabel('apiToken').inputValue()).toBe('')
  expect(new URL(page.url()).searchParams.get('from')).toBe(id)
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
  expect(kept).not.toContain('Z-9')
  expect(kept).not.toContain('hunter2')
  await page.getByLabel('Begin with the input of').selectOption('')
  await expect.poll(() => page.getByLabel('orderId').inputValue()).toBe('')
  expect(troubles).toEqual([])
})

it('takes a request key, under which a second start is the same run', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  const { page } = tab
  const begin = async (): Promise<string> => {
    await page.goto(`${server.url}/plans/order/start`)
    await page.getByLabel('orderId').fill('A-1')
    await page.getByLabel('amount').fill('1')
    await page.getByText('When and how it starts').click()
    await page.getByLabel('Request key').fill('monday')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/runs/*')
    return new URL(page.url()).pathname
  }
  const first = await begin()
  expect(await begin()).toBe(first)
})

it('tells who may not start a run why', async () => {
  await using server = await served({}, { page: pageFiles() })
  await server.publish(ORDER)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  tab.expects(401, 404)
  const { page } = tab
  await page.getByLabel('API key').fill('acme.vic.viewer')
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.getByText('Your role viewer may not do this (RUN_START).').waitFor()
  expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true)
})

it('keeps what is typed when another version is published, and says so', async () => {
  await using server = await servedPage({ steps: STEPS })
  await server.publish(ORDER, LOCAL)
  await using tab = await browser.open(`${server.url}/plans/order/start`)
  const { page, troubles } = tab
  await page.getByLabel('orderId').fill('A-1')
  await page.getByLabel('amount').fill('3')
  await server.publish(ORDER.replace('1.0.0', '1.1.0'), LOCAL)
  await page.getByText('Version 1.1.0 was published meanwhile; this form starts 1.0.0.').waitFor()
  expect(await page.getByLabel('orderId').inputValue()).toBe('A-1')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL('**/runs/*')
  const { executions } = (await server.call('GET /v1/executions', { as: '' })).body
  expect(executions[0].planVersion).toBe('1.0.0')
  await page.goto(`${server.url}/plans/order/start`)
  await page.getByRole('heading', { name: 'Start order 1.1.0' }).waitFor()
  await server.publish(ORDER.replace('1.0.0', '1.2.0'), LOCAL)
  await page.getByRole('button', { name: 'Begin anew with 1.2.0' }).click()
  await page.getByRole('heading', { name: 'Start order 1.2.0' }).waitFor()
  expect(new URL(page.url()).searchParams.get('version')).toBe('1.2.0')
  expect(troubles).toEqual([])
})
