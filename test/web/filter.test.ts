/** The filter of runs, as a person types it into the page and a program into the interface. */
import { expect, it } from 'vitest'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, testBrowser } from './browser.ts'
import { BUSY, SAGA, testSteps } from './plans.ts'

const browser = testBrowser()

async function startedBy(server: Served, planId: string, person: string): Promise<string> {
  const headers = { 'x-keelson-act-as': person }
  const { body } = await server.call('POST /v1/executions', {
    as: '',
    headers,
    body: { planId, input: { items: [1] } },
  })
  await ended(server, body.executionId)
  return body.executionId
}

it('finds runs by error and person, completes what is typed, takes parts out by their chips, and suggests what was meant', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  for (const plan of [SAGA, BUSY]) await server.publish(plan, LOCAL)
  const anas = await startedBy(server, 'saga', 'ana')
  const bens = await startedBy(server, 'saga', 'ben')
  await startedBy(server, 'busy', 'ana')
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  const rows = page.locator('tbody tr')
  const field = page.getByLabel('Filter runs')
  await page.getByRole('button', { name: 'failed 2' }).waitFor()
  await field.fill('error:WAREHOUSE_FULL')
  await expect.poll(() => rows.count()).toBe(2)
  await field.fill('error:WAREHOUSE_FULL actor:ana')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await rows.locator('code').getAttribute('title')).toBe(anas)
  await page.getByRole('button', { name: 'Remove error:WAREHOUSE_FULL' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('q')).toBe('actor:ana')
  const offered = page.locator('#filter-completions option')
  const completed = (): Promise<readonly unknown[]> =>
    offered.evaluateAll((options) => options.map((option) => option.getAttribute('value')))
  await field.fill('actor:ana st')
  expect(await completed()).toEqual(['actor:ana status:'])
  await field.fill('plan:')
  await expect.poll(async () => (await completed()).toSorted()).toEqual(['plan:busy', 'plan:saga'])
  await field.fill('statu:failed')
  await page.getByText("Not understood: statu:failed; did you mean 'status'?").waitFor()
  await field.fill('plan:saga')
  const strip = page.getByRole('list', { name: 'Last runs of saga' }).getByRole('link')
  await expect.poll(() => strip.count()).toBe(2)
  await strip.last().click()
  await page.waitForURL(`**/runs/${bens}`)
  expect(troubles).toEqual([])
})

it('chooses the same runs over the interface, and refuses what it does not understand', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(SAGA, LOCAL)
  const anas = await startedBy(server, 'saga', 'ana')
  await startedBy(server, 'saga', 'ben')
  const asked = async (filter: string) =>
    server.call(`GET /v1/executions?filter=${encodeURIComponent(filter)}`, { as: '' })
  const found = await asked('status:failed plan:saga since:1h error:WAREHOUSE_FULL actor:ana')
  expect(found.body.executions.map(({ executionId }: { executionId: string }) => executionId)).toEqual([anas])
  expect((await asked('error:OTHER')).body.executions).toEqual([])
  for (const [filter, told] of [
    ['statu:failed', "did you mean 'status'?"],
    ['saga', 'plan:saga'],
  ] as const) {
    const { status, text } = await asked(filter)
    expect([status, text]).toEqual([400, expect.stringContaining(told)])
  }
})
