/** Engines, workers and what nobody can run, in a real browser: a step without a worker is seen, a worker takes it, and it is gone. */
import { expect, it } from 'vitest'
import { pageFiles } from '../../src/edge/http/page/page-files.ts'
import { aWorker } from '../server/a-worker.ts'
import { ended, TRAIN } from '../server/far-steps.ts'
import { ANA, served, type Served } from '../server/served.ts'
import { testBrowser, type Tab } from './browser.ts'
import { XSS } from './xss-corpus.ts'

const browser = testBrowser()

const short = (id: string): string => id.slice(0, 8)

async function enter({ page }: Tab, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Enter' }).click()
}

async function train(server: Served): Promise<string> {
  return (await server.call('POST /v1/executions', { body: { planId: 'training', input: { rows: 1 } } })).body
    .executionId
}

it('tells that no worker asks for a step, sees one take it with its build, and then that nothing waits', async () => {
  await using server = await served({}, { page: pageFiles() })
  await server.publish(TRAIN)
  const run = await train(server)
  await using tab = await browser.open(`${server.url}/engines`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab, ANA)
  const nobody = page.getByRole('region', { name: 'What nobody can run' })
  await nobody.getByText('1 step of the queue gpu waits for the function train').waitFor()
  await nobody.getByText('no worker with it has asked').waitFor()
  await nobody.getByRole('link', { name: `run ${short(run)}` }).waitFor()
  await page.getByText('No worker has asked for steps.').waitFor()
  const engine = page.getByRole('region', { name: 'Engines' })
  await engine.getByText('new runs go to it; this process drives its runs').waitFor()
  await engine.getByRole('link', { name: '1 run in flight' }).waitFor()
  const worker = aWorker(server)
  const { claim } = await worker.claimOne({ worker: 'w1', build: 'b7' })
  const row = page.getByRole('region', { name: 'Workers' }).getByRole('row').filter({ hasText: 'w1' })
  await row.getByText('at work').waitFor()
  await row.getByText('b7').waitFor()
  await row.getByText('as robot').waitFor()
  await row.getByText('1 step').waitFor()
  await nobody.getByText('Nothing: every step').waitFor()
  const queue = page.getByRole('region', { name: 'Queues of workers' }).getByRole('row').filter({ hasText: 'train' })
  await queue.getByText('yes').waitFor()
  await worker.done(claim, { model: 'm1' })
  await ended(server, run, 'COMPLETED')
  await queue.waitFor({ state: 'hidden' })
  await row.getByText('0 steps').waitFor()
})

it('names queued runs that this server has no function for, and runs that failed because nobody took their step', async () => {
  await using server = await served({}, { page: pageFiles() })
  await server.publish(TRAIN.replace('maxAttempts: 2', 'maxAttempts: 1'))
  await server.publish('plan: far\nversion: 1.0.0\nsteps: [{ id: a, run: elsewhere }]\n')
  const far = (await server.call('POST /v1/executions', { body: { planId: 'far', queue: true } })).body.executionId
  const run = await train(server)
  const worker = aWorker(server)
  const { claim } = await worker.claimOne()
  const error = { message: 'no worker took it', code: 'WORK_UNCLAIMED' }
  await worker.report(claim, { outcome: 'failed', error })
  await ended(server, run, 'FAILED')
  await using tab = await browser.open(`${server.url}/engines`)
  tab.expects(401, 404)
  const { page } = tab
  await enter(tab, ANA)
  const nobody = page.getByRole('region', { name: 'What nobody can run' })
  await nobody.getByText('1 run in the queue cannot be started by this server: NO_HANDLER').waitFor()
  await nobody.getByText("this process has no 'elsewhere'").waitFor()
  await nobody.getByRole('link', { name: `run ${short(far)}` }).waitFor()
  await nobody.getByRole('link', { name: 'queue', exact: true }).click()
  const waiting = page.getByRole('region', { name: 'Wait to be started' })
  await waiting.getByText("not by this server: NO_HANDLER this process has no 'elsewhere'").waitFor()
  await waiting.getByRole('button', { name: `Start now far ${short(far)}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start now' }).click()
  await page.getByText('could not be started: NO_HANDLER. It stays queued.').waitFor()
  await page.goBack()
  await nobody.getByRole('link', { name: '1 run failed of it' }).click()
  await page.getByRole('link', { name: `training 1.0.0, run ${short(run)}` }).waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('status:failed error:WORK_UNCLAIMED')
})

it('shows what a worker calls itself as text, on a narrow screen too, and tells a worker why it may not look', async () => {
  await using server = await served({}, { page: pageFiles() })
  const texts = XSS.map((text) => text.slice(0, 120)).slice(0, 20)
  const named = { worker: texts[0], build: texts[1], handlers: texts }
  expect(await aWorker(server).claim(named)).toEqual([])
  await using tab = await browser.open(`${server.url}/engines`, { viewport: { width: 360, height: 800 } })
  tab.expects(401, 403, 404)
  const { page } = tab
  await enter(tab, ANA)
  await page
    .getByRole('region', { name: 'Workers' })
    .getByText(texts[0] ?? '')
    .first()
    .waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(await page.evaluate('window.executed')).toBeUndefined()
  await page.getByRole('button', { name: 'Forget the key' }).click()
  await enter(tab, 'acme.robot.worker')
  await page.getByRole('alert').getByText('AUTHZ_DENIED').first().waitFor()
})
