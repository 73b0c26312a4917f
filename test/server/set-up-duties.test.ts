/** Nobody is the second person of a run that a schedule or a trigger of their own started: who set it up has made the run. */
import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { loadPlan } from '../../src/library/plans/load-plan.ts'
import { until } from '../fixtures/until.ts'
import { BOB, served, type Served } from './served.ts'

const PAY = `
plan: pay
version: 1.0.0
steps:
  - { id: ask, manual: { title: 'Pay?', rule: MakerChecker } }
  - { id: pay, run: pay, dependsOn: [ask] }
`
const CARL = 'acme.carl.Admin'

async function paying(): Promise<Served> {
  const server = await served({ steps: { pay: () => 'paid' } }, { hasClockwork: true })
  await server.publish(PAY)
  return server
}

async function completes(server: Served, as: string, token: string): Promise<readonly unknown[]> {
  const body = { outcome: 'Succeeded' }
  const { status, body: told } = await server.call(`POST /v1/tasks/${token}/complete`, { as, body })
  return [status, told.error?.code]
}

/** The token of the one open task, as Bob is shown it, who has nothing to do with it. */
async function openTask({ call }: Served): Promise<string> {
  const tasks = async () =>
    (await call('GET /v1/tasks', { as: BOB })).body.tasks as readonly { readonly token: string }[]
  await until(async () => (await tasks()).length > 0)
  return (await tasks())[0]?.token ?? ''
}

const TASK_REFUSED = [403, 'AUTHZ_DENIED']

it('whoever says what a schedule starts is the maker of its runs, whoever else pauses it [MAN-08]', async () => {
  await using server = await paying()
  const definition = { planId: 'pay', every: '1h' }
  await server.call('POST /v1/schedules', { as: CARL, body: { scheduleId: 'pays', ...definition } })
  const changed = await server.call('PUT /v1/schedules/pays', { body: { ...definition, every: '1s', overlap: 'skip' } })
  expect(changed.status).toBe(200)
  const token = await openTask(server)
  await server.call('POST /v1/schedules/pays/pause', { as: CARL, body: {} })
  expect(await completes(server, 'acme.ana.Admin', token)).toEqual(TASK_REFUSED)
  expect(await completes(server, BOB, token)).toEqual([200, undefined])
})

it('whoever asks for a backfill is a maker of its runs [MAN-08]', async () => {
  await using server = await paying()
  const body = { scheduleId: 'pays', planId: 'pay', every: '1h' }
  expect((await server.call('POST /v1/schedules', { as: CARL, body })).status).toBe(201)
  const span = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() }
  expect((await server.call('POST /v1/schedules/pays/backfill', { body: span })).status).toBe(202)
  const token = await openTask(server)
  expect(await completes(server, 'acme.ana.Admin', token)).toEqual(TASK_REFUSED)
  expect(await completes(server, CARL, token)).toEqual(TASK_REFUSED)
  expect(await completes(server, BOB, token)).toEqual([200, undefined])
})

it('whoever made or changed a trigger is a maker of its runs, by whom its deliveries may be signed [MAN-08]', async () => {
  await using server = await paying()
  const definition = { planId: 'pay', scheme: 'github', secret: 'a secret that is known to ana' }
  const made = await server.call('POST /v1/triggers', { body: { trigger: 'pays', ...definition } })
  expect(made.status).toBe(201)
  const { secret: _same, ...others } = definition
  await server.call('PUT /v1/triggers/pays', { as: CARL, body: others })
  const text = '{}'
  const signature = createHmac('sha256', definition.secret).update(text).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': 'one', 'x-github-event': 'push' }
  const delivered = await server.call(`POST ${made.body.deliverTo}`, {
    as: '',
    text,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  expect(delivered.status).toBe(202)
  const token = await openTask(server)
  expect(await completes(server, 'acme.ana.Admin', token)).toEqual(TASK_REFUSED)
  expect(await completes(server, CARL, token)).toEqual(TASK_REFUSED)
  expect(await completes(server, BOB, token)).toEqual([200, undefined])
})

it('whoever publishes a plan with a schedule is a maker of its runs [MAN-08]', async () => {
  await using server = await served({ steps: { pay: () => 'paid' } }, { hasClockwork: true })
  const text = `${PAY}schedule: { every: 1s, overlap: skip }\n`
  expect((await server.call('PUT /v1/plans', { body: { text } })).status).toBe(200)
  const token = await openTask(server)
  expect(await completes(server, 'acme.ana.Admin', token)).toEqual(TASK_REFUSED)
  expect(await completes(server, BOB, token)).toEqual([200, undefined])
})

it('whoever may not start runs does not do so by a schedule in a plan that they publish [AUT-13, AUT-14]', async () => {
  await using server = await paying()
  const author = 'acme.paula.plan-author'
  const publish = async (text: string, as: string, more: object = {}): Promise<readonly unknown[]> => {
    const { status, body } = await server.call('PUT /v1/plans', { as, body: { text, ...more } })
    return [status, body.error?.code]
  }
  const quiet = PAY.replace('1.0.0', '1.1.0')
  const ticking = `${PAY.replace('1.0.0', '1.2.0')}schedule: { every: 1s }\n`
  expect(await publish(quiet, author)).toEqual([200, undefined])
  expect(await publish(ticking, author)).toEqual([403, 'AUTHZ_DENIED'])
  expect(await publish(ticking, author, { check: true })).toEqual([403, 'AUTHZ_DENIED'])
  expect((await server.call('GET /v1/schedules')).body.schedules).toEqual([])
  expect(await publish(ticking, `${author}+Operator`)).toEqual([200, undefined])
  expect((await server.call('GET /v1/schedules')).body.schedules).toMatchObject([{ createdBy: 'paula' }])
})

it('a schedule of a plan that the server published itself has nobody behind it: anybody else checks its runs [MAN-08]', async () => {
  await using server = await served({ steps: { pay: () => 'paid' }, tenantId: 'acme' }, { hasClockwork: true })
  await server.keelson.publish(loadPlan(`${PAY}schedule: { every: 1s, overlap: skip }\n`))
  expect(await completes(server, BOB, await openTask(server))).toEqual([200, undefined])
})
