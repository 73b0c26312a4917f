/** Alerts reach people: signed webhooks that are tried again, security alerts, and what only informs wakes nobody. */
import { afterEach, expect, it } from 'vitest'
import { judge } from '../../src/app/triggers/signature.ts'
import type { Alert } from '../../src/core/alerts/catalogue.ts'
import type { OpenOptions } from '../../src/main.ts'
import { loopback, type Asked } from '../fixtures/loopback.ts'
import { until } from '../fixtures/until.ts'
import { heldServer, type Held } from './held-run.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OLAF = 'acme.olaf.Operator'
const VIC = 'acme.vic.viewer'

let server: Held | undefined

afterEach(async () => {
  await server?.[Symbol.asyncDispose]()
})

async function open(options: OpenOptions): Promise<Held> {
  server = await heldServer(options)
  return server
}

function dataOf({ body }: Asked): Alert {
  return (JSON.parse(body) as { readonly data: Alert }).data
}

it('sends a destructive signal as a signed alert of the first priority, again until it is taken [OBS-05, AUT-07]', async () => {
  const receiver = await loopback((_asked, response) => {
    response.writeHead(receiver.asked.length === 1 ? 503 : 200).end()
  })
  const alertWebhook = { url: `${receiver.url}/alerts`, secret: SECRET, allow: ['127.0.0.1'] }
  const held = await open({ alertWebhook })
  const runId = await held.started()
  await held.signal(runId, { signalType: 'UPDATE_PARAMS', payload: { params: { a: 1 }, reason: 'why not' } })
  await until(() => receiver.asked.length === 2)
  const [first, second] = receiver.asked
  if (first === undefined || second === undefined) throw new Error('it was not sent')
  for (const asked of [first, second]) {
    const delivery = {
      bytes: Buffer.from(asked.body),
      body: (): unknown => JSON.parse(asked.body),
      header: (name: string) => String(asked.headers[name]),
    }
    const { alertId } = dataOf(asked)
    expect(judge('standard-webhooks', SECRET, delivery, Date.now())).toEqual({ kind: 'genuine', deliveryId: alertId })
    expect(judge('standard-webhooks', 'b3RoZXI=', delivery, Date.now())).toMatchObject({ kind: 'refused' })
    expect(dataOf(asked)).toMatchObject({ code: 'DESTRUCTIVE_SIGNAL', priority: 'P1', runId, tenantId: 'acme' })
  }
  expect(first.headers['webhook-id']).toBe(second.headers['webhook-id'])
})

it('tells who is refused a request or a signal as a security alert, once a minute for each person and action [OBS-05]', async () => {
  const told: Alert[] = []
  const held = await open({ onAlert: (alert) => void told.push(alert) })
  const runId = await held.started()
  for (let times = 0; times < 3; times += 1)
    expect((await held.call('POST /v1/executions', { as: VIC, body: { planId: 'held' } })).status).toBe(403)
  const stop = { signalType: 'EMERGENCY_STOP', payload: { reason: 'a storm' } }
  expect((await held.signal(runId, stop, OLAF)).status).toBe(403)
  await until(() => told.length >= 2)
  expect(told).toMatchObject([
    {
      code: 'AUTHORIZATION_FAILED',
      priority: 'P2',
      tenantId: 'acme',
      actorId: 'vic',
      detail: 'vic was refused RUN_START.',
    },
    {
      code: 'AUTHORIZATION_FAILED',
      priority: 'P2',
      tenantId: 'acme',
      runId,
      detail: 'olaf was refused EMERGENCY_STOP.',
    },
  ])
  const { body } = await held.call('GET /v1/alerts?code=AUTHORIZATION_FAILED')
  expect(body.alerts.map((alert: Alert) => alert.alertId)).toEqual([told[1]?.alertId])
})
