/** Expressions tried out over what a run has on record: by the evaluator of the plan, at any event, and without changing anything. */
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const PLAN = `
plan: priced
version: 1.0.0
context: { seen: 0 }
steps:
  - { id: list, run: echo, with: { prices: '\${input.prices}' }, capture: [{ destination: seen, transform: length(prices) }] }
  - { id: each-one, dependsOn: [list], forEach: 'steps.list.output.prices', run: echo, with: { price: '\${item}', at: '\${index}' } }
  - { id: total, dependsOn: [each-one], if: 'sum(steps.list.output.prices) > \`1\`', run: echo, with: { total: '\${sum(steps."each-one".output[].price)}' } }
`

interface Tried {
  readonly status: number
  readonly body: {
    readonly value?: unknown
    readonly isTrue?: boolean
    readonly at?: number
    readonly error?: { readonly code: string }
  }
}

async function tried(server: Served, id: string, query: Readonly<Record<string, string>>): Promise<Tried> {
  const search = new URLSearchParams(query).toString()
  return server.call(`GET /v1/executions/${id}/expression?${search}`, { as: '' })
}

async function pricedRun(server: Served): Promise<string> {
  await server.publish(PLAN, LOCAL)
  const id = await start(server, 'priced', { prices: [3, 4] })
  await ended(server, id)
  return id
}

it('evaluates over the values as they were after an event, as the run sees them and as a step does', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  const id = await pricedRun(server)
  const value = async (expression: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    (await tried(server, id, { expression, ...more })).body.value
  expect(await value('sum(input.prices)')).toBe(7)
  expect(await value('steps.list.output.prices[0]')).toBe(3)
  expect(await value('steps.list.output', { at: '2' })).toBeNull()
  expect(await value('[steps.list.status, context.seen]', { at: '2' })).toEqual(['PENDING', 0])
  expect(await value('[steps.list.status, context.seen]')).toEqual(['SUCCESS', 2])
  expect(await value('[item, index]', { step: 'each-one[1]' })).toEqual([4, 1])
  expect(await value('previous', { step: 'each-one' })).toEqual({ prices: [3, 4] })
  expect(await value('steps."each-one".output[].price')).toEqual([3, 4])
  expect(await value('run.id')).toBe(id)
  const empty = (await tried(server, id, { expression: 'input.nothing', at: '3' })).body
  expect([empty.value, empty.isTrue, empty.at]).toEqual([null, false, 3])
})

it('refuses what plans may not evaluate either, within the same bounds, and what is not there', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  const id = await pricedRun(server)
  const code = async (query: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const { status, body } = await tried(server, id, query)
    return [status, body.error?.code]
  }
  expect(await code({ expression: 'input.' })).toEqual([400, 'EXPR_INVALID_SYNTAX'])
  expect(await code({ expression: 'constructor' })).toEqual([400, 'EXPR_INVALID_SYNTAX'])
  expect(await code({ expression: 'steps.nobody.output' })).toEqual([404, 'STEP_UNKNOWN'])
  expect(await code({ expression: 'input', step: 'nobody' })).toEqual([404, 'STEP_UNKNOWN'])
  expect(await code({ expression: `${'['.repeat(60)}input${']'.repeat(60)}` })).toEqual([400, 'EXPR_TOO_COMPLEX'])
  expect(await code({ expression: 'x'.repeat(4_097) })).toEqual([400, 'BODY_INVALID'])
  expect((await tried(server, id, { expression: 'input', at: '9999' })).status).toBe(400)
  const before = (await server.call(`GET /v1/executions/${id}`, { as: '' })).body.lastEventSeq
  await tried(server, id, { expression: 'input' })
  expect((await server.call(`GET /v1/executions/${id}`, { as: '' })).body.lastEventSeq).toBe(before)
})

it('completes roots, steps and the fields of recorded values, and shows the value at the cursor, by the keyboard alone', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  const id = await pricedRun(server)
  await using tab = await browser.open(`${server.url}/runs/${id}?step=total&tab=try`)
  tab.expects(400)
  const { page } = tab
  const field = page.getByRole('combobox', { name: 'Expression' })
  const offered = async (text: string): Promise<readonly string[]> => {
    await field.fill(text)
    return (await page.evaluate(
      `[...document.querySelectorAll('datalist option')].map((one) => one.value)`,
    )) as string[]
  }
  await field.focus()
  expect(await offered('inp')).toContain('input')
  expect(await offered('input.')).toEqual(['input.prices'])
  expect(await offered('length(steps.')).toEqual(['length(steps.list', 'length(steps."each-one"', 'length(steps.total'])
  expect(await offered('steps.list.output.p')).toEqual(['steps.list.output.prices'])
  expect(await offered('steps."each-one".output[0].')).toEqual([
    'steps."each-one".output[0].at',
    'steps."each-one".output[0].price',
  ])
  await field.fill('sum(steps."each-one".output[].price)')
  await page.keyboard.press('Enter')
  const value = page.getByRole('region', { name: 'value of the expression' })
  await expect.poll(() => value.textContent()).toBe('7')
  await expect.poll(() => new URL(page.url()).searchParams.get('expr')).toBe('sum(steps."each-one".output[].price)')
  await page.getByRole('button', { name: 'sum(steps.list.output.prices) > `1`', exact: true }).click()
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await page.getByText('as a condition it holds').waitFor()
  await page.goto(`${server.url}/runs/${id}?at=2&step=total&tab=try&expr=steps.list.status`)
  await page.getByText('after event 2, as total sees it').waitFor()
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await expect.poll(() => value.textContent()).toBe('"PENDING"')
  await field.fill('input.')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('EXPR_INVALID_SYNTAX').waitFor()
})

it('runs nothing of an expression or a value in the page', async () => {
  await using server = await servedPage({ steps: testSteps().steps })
  await server.publish(BUSY, LOCAL)
  const id = await start(server, 'busy', { items: [1], [XSS[0] ?? '']: XSS.slice(0, 40) })
  await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${id}`)
  tab.expects(400)
  const { page } = tab
  for (const text of ['input', ...XSS.slice(0, 6)]) {
    await page.goto(`${server.url}/runs/${id}?expr=${encodeURIComponent(text)}`)
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.getByRole('region', { name: 'value of the expression' }).or(page.getByRole('alert')).first().waitFor()
  }
  expect(await page.evaluate('window.executed')).toBeUndefined()
})
