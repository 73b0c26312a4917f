/** Two runs beside each other in a real browser: from the list, from a run and by an id; what differs first, and how long each step took. */
import { expect, it } from 'vitest'
import { compareRuns } from '../../web/src/compare/compare-runs.ts'
import { RunHistory } from '../../web/src/history/run-history.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import type { ExecutionState } from '../../src/client/connect.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import type { Served } from '../server/served.ts'
import { ended, LOCAL, servedPage, start, testBrowser } from './browser.ts'
import { BUSY, testSteps } from './plans.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const TWO = (version: string, max: number): string => `
plan: two
version: ${version}
steps:
  - { id: look, run: echo, with: { n: '\${input.n}' } }
  - { id: judge, run: judge, dependsOn: [look], with: { n: '\${steps.look.output.n}', max: ${max} }, retry: { maxAttempts: 1 } }
output: { judged: '\${steps.judge.output}' }
`

const judge = ({ n, max }: { readonly n: number; readonly max: number }): string => {
  if (n > max) throw Object.assign(new Error(`${n} is too much`), { code: 'TOO_MUCH' })
  return 'fine'
}

it('tells that two runs did the same, whatever their ids and times are', async () => {
  const { steps } = testSteps()
  await using server = await servedPage({ steps })
  await server.publish(BUSY, LOCAL)
  const runs = [
    await start(server, 'busy', { items: [1, 2, 3, 4] }),
    await start(server, 'busy', { items: [1, 2, 3, 4] }),
  ]
  for (const id of runs) await ended(server, id)
  const [one, other] = await Promise.all(runs.map((id) => compared(server, id)))
  if (one === undefined || other === undefined) throw new Error('both were read')
  const found = compareRuns(one, other)
  expect(found.event).toBeUndefined()
  expect(found.steps.map(({ isSame }) => isSame)).toEqual(found.steps.map(() => true))
  expect([found.input, found.output]).toEqual([same, same])
})

const same = { kind: 'known', fields: [] }

async function compared(server: Served, id: string): Promise<Parameters<typeof compareRuns>[0]> {
  const execution: ExecutionState = (await server.call(`GET /v1/executions/${id}?with=row`, { as: '' })).body
  const { plan } = (await server.call(`GET /v1/plans/by-hash/${execution.planSha256}`, { as: '' })).body
  const { events } = (await server.call(`GET /v1/executions/${id}/events?limit=1000`, { as: '' })).body
  const history = new RunHistory(id, plan as Plan, execution.engine)
  history.add(events as readonly LogRecord[])
  return { execution, history, lastSeq: history.lastSeq }
}

it('is opened from two runs of the list by keys, finds the first difference and leads to that moment in both', async () => {
  await using server = await servedPage({ steps: { ...testSteps().steps, judge } })
  await server.publish(TWO('1.0.0', 5), LOCAL)
  const good = await start(server, 'two', { n: 1 })
  await ended(server, good)
  const bad = await start(server, 'two', { n: 9 })
  await ended(server, bad)
  await using tab = await browser.open(server.url)
  const { page, troubles } = tab
  await page.getByRole('link', { name: new RegExp(`run ${good.slice(0, 8)}`) }).waitFor()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await expect.poll(() => new URL(page.url()).searchParams.get('pick')?.split(',').sort()).toEqual([good, bad].sort())
  await page
    .getByRole('status')
    .getByRole('link', { name: /^Compare run/ })
    .click()
  const first = page.getByRole('region', { name: 'First difference' })
  await first.getByText('they differ in data.result.n: 9 here, 1 there').waitFor()
  await page.getByRole('region', { name: 'Input: what differs' }).getByRole('row', { name: 'n 9 1' }).waitFor()
  await page.getByRole('region', { name: 'Output' }).getByText('only one of them has one').waitFor()
  const table = page.getByRole('region', { name: 'Steps of both runs' })
  await table.getByRole('link', { name: `judge of run ${bad.slice(0, 8)}: failed TOO_MUCH` }).waitFor()
  await table.getByRole('link', { name: `judge of run ${good.slice(0, 8)}: succeeded` }).waitFor()
  await table
    .getByRole('row', { name: /look .*another n/ })
    .getByText(/^([+−]\d+ ms|same)$/)
    .waitFor()
  await page.getByRole('region', { name: 'The run here' }).getByText('9 is too much').waitFor()
  await page.getByLabel(/^only what differs \(2 of 2\)$/).check()
  await page.getByRole('link', { name: 'change sides' }).click()
  await page.getByRole('row', { name: 'n 1 9' }).waitFor()
  await first.getByRole('link', { name: new RegExp(`of run ${bad.slice(0, 8)}`) }).click()
  await page.getByText(/^as of event \d+ of/).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/runs/${bad}`)
  expect(troubles).toEqual([])
})

it('compares a fork with the run it was forked from: what it took over counts by its value, and what differs is what was done again', async () => {
  await using server = await servedPage({ steps: { ...testSteps().steps, judge } })
  await server.publish(TWO('1.0.0', 5), LOCAL)
  const old = await start(server, 'two', { n: 9 })
  await ended(server, old)
  await server.publish(TWO('1.1.0', 10), LOCAL)
  const path = `POST /v1/executions/${old}/fork`
  const fork = (await server.call(path, { as: '', body: { planId: 'two', planVersion: '1.1.0' } })).body.executionId
  await ended(server, fork)
  await using tab = await browser.open(`${server.url}/runs/${fork}`)
  tab.expects(404)
  const { page } = tab
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await page.getByRole('region', { name: 'The run it was forked from' }).getByRole('link').click()
  await page
    .getByRole('region', { name: 'First difference' })
    .getByText('StepCompleted here, StepFailed there')
    .waitFor()
  await page.getByRole('row', { name: /^look .*same taken over/ }).waitFor()
  await page.getByRole('row', { name: 'steps.judge.with.max 10 5' }).waitFor()
  await page.getByRole('region', { name: 'Input' }).getByText('the same').waitFor()
  await page.getByRole('button', { name: 'another run' }).click()
  await page.getByLabel('Id of the other run').fill('00000000-0000-4000-8000-000000000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('RUN_NOT_FOUND').waitFor()
})

const HELD = `
plan: held
version: 1.0.0
steps:
  - { id: first, run: first, with: { hold: '\${input.hold}' } }
  - { id: second, run: echo, dependsOn: [first], with: { text: 'said by second' } }
`

it('goes on with a run that goes on', async () => {
  const gate = Promise.withResolvers<void>()
  const first = async ({ hold }: { readonly hold: boolean }): Promise<string> => {
    if (hold) await gate.promise
    return 'done'
  }
  await using server = await servedPage({ steps: { ...testSteps().steps, first } })
  await server.publish(HELD, LOCAL)
  const done = await start(server, 'held', { hold: false })
  await ended(server, done)
  await using tab = await browser.open(`${server.url}/runs/${done}/compare`)
  const { page, troubles } = tab
  await page.getByText('No other run of this plan yet').waitFor()
  const live = await start(server, 'held', { hold: true })
  await page.goto(`${server.url}/runs/${done}/compare?with=${live}`)
  await page.getByRole('link', { name: `first of run ${live.slice(0, 8)}: running` }).waitFor()
  await page.getByText('it happened in one of them only').waitFor()
  gate.resolve()
  await page.getByText('They did the same').waitFor()
  await page.getByRole('link', { name: `second of run ${live.slice(0, 8)}: succeeded` }).waitFor()
  expect(troubles).toEqual([])
})

it('shows hostile names, inputs and results as texts', async () => {
  await using server = await servedPage({ steps: { all: (input: unknown) => input } })
  await server.publish(
    `plan: hostile\nversion: 1.0.0\nsteps: [{ id: all, run: all, with: { text: '\${input.text}' } }]\n`,
    LOCAL,
  )
  const runs = [
    await start(server, 'hostile', { text: XSS.slice(0, 150).join(' ') }),
    await start(server, 'hostile', { text: XSS.join(' '), [XSS[3] ?? '']: 1 }),
  ]
  for (const id of runs) await ended(server, id)
  await using tab = await browser.open(`${server.url}/runs/${runs[0]}/compare?with=${runs[1]}`)
  tab.expects(404)
  const { page } = tab
  await page.getByText('they differ in data.result.text').waitFor()
  await page.getByRole('rowheader', { name: '<img src=x onerror=' }).first().waitFor()
  await page.goto(`${server.url}/runs/${runs[0]}/compare?with=${encodeURIComponent(XSS[0] ?? '')}`)
  await page.getByRole('alert').waitFor()
  expect(await page.evaluate('window.executed')).toBeUndefined()
})
