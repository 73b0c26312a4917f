/** Triggers over real HTTP: signed as GitHub, Stripe and Standard Webhooks sign, mapped, counted once, and refused without a word to strangers. */
import { createHmac, randomBytes } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { storeOf } from '../../src/library/services-of.ts'
import type { OpenOptions } from '../../src/main.ts'
import { EVE, served, type Answered, type Served } from './served.ts'

const PLAN = 'plan: build\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\noutput: { branch: "${input.branch}" }\n'
const GITHUB = {
  trigger: 'push',
  planId: 'build',
  scheme: 'github',
  secret: 'a secret of sixteen',
  input: { branch: '${input.body.ref}', event: '${input.event}', of: '${input.deliveryId}' },
}

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(
  body: object = GITHUB,
  opening: OpenOptions = {},
): Promise<Served & { readonly address: string; readonly made: Answered }> {
  const opened = await served({ steps: { pack: () => 'packed' }, ...opening })
  server = opened
  await opened.publish(PLAN)
  const made = await opened.call('POST /v1/triggers', { body })
  expect(made.status).toBe(201)
  return { ...opened, made, address: made.body.deliverTo }
}

function githubHeaders(text: string, id = 'd-1', secret = GITHUB.secret): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret).update(text).digest('hex')
  return { 'x-github-delivery': id, 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` }
}

/** What a sender is told, but for what differs in every answer. */
function told({ status, headers, body }: Answered): object {
  const { correlationId: _id, timestamp: _at, ...rest } = body
  return { status, names: [...headers.keys()].sort(), rest }
}

it('starts one run for a delivery of GitHub, however often it comes, as the actor of the trigger', async () => {
  const { call, address } = await open()
  const text = '{"ref": "refs/heads/main"}'
  const first = await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text) })
  expect([first.status, first.body.existed]).toEqual([202, false])
  const again = await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text) })
  expect([again.status, again.body]).toEqual([200, { executionId: first.body.executionId, existed: true }])
  const run = `/v1/executions/${first.body.executionId}`
  expect((await call(`GET ${run}`)).body).toMatchObject({ planId: 'build', triggeredBy: 'trigger:push' })
  await expect.poll(async () => (await call(`GET ${run}`)).body.status).toBe('COMPLETED')
  expect((await call(`GET ${run}/events`)).text).toContain('"triggerSource":"webhook"')
  expect((await call('GET /v1/executions')).body.executions).toHaveLength(1)
  expect((await call('GET /v1/triggers/push/deliveries')).body.deliveries).toMatchObject([
    { outcome: 'repeated', deliveryId: 'd-1', executionId: first.body.executionId },
    { outcome: 'started', deliveryId: 'd-1', executionId: first.body.executionId },
  ])
})

it('shows the mapped input of a body without starting anything', async () => {
  const { call } = await open()
  const { body } = await call('POST /v1/triggers/push/test', {
    body: { body: { ref: 'main' }, event: 'push', deliveryId: 'x' },
  })
  expect(body).toEqual({ input: { branch: 'main', event: 'push', of: 'x' } })
  expect((await call('GET /v1/executions')).body.executions).toEqual([])
})

it('answers an unknown address and a wrong signature alike, and tells the owner alone why', async () => {
  const { call, address } = await open()
  const text = '{"ref": "main"}'
  const wrong = await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text, 'd-2', 'another secret !') })
  const unsigned = await call(`POST ${address}`, { as: '', text })
  const unknown = await call(`POST /v1/triggers/tr_${'a'.repeat(32)}`, { as: '', text, headers: githubHeaders(text) })
  const byName = await call('POST /v1/triggers/push', { as: '', text, headers: githubHeaders(text) })
  expect([wrong.status, wrong.body.error.code]).toEqual([401, 'NOT_AUTHENTICATED'])
  for (const one of [unsigned, unknown, byName]) expect(told(one)).toEqual(told(wrong))
  expect((await call('GET /v1/triggers/push/deliveries')).body.deliveries).toMatchObject([
    { outcome: 'refused', code: 'NOT_AUTHENTICATED', reason: 'it lacks X-GitHub-Delivery or X-Hub-Signature-256' },
    { outcome: 'refused', deliveryId: 'd-2', reason: 'its signature does not fit the secret and the body' },
  ])
  expect((await call('GET /v1/executions')).body.executions).toEqual([])
})

it('takes Standard Webhooks with the secret that it made itself and never shows again, for five minutes', async () => {
  const { call, address, made } = await open({ trigger: 'push', planId: 'build', scheme: 'standard-webhooks' })
  const { secret } = made.body
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const text = '{"branch": "main"}'
  const headers = (id: string, ageMs: number): Record<string, string> => {
    const time = String(Math.floor((Date.now() - ageMs) / 1_000))
    const key = Buffer.from(String(secret).slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')
    const stale = randomBytes(32).toString('base64')
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${stale} v1,${signature}` }
  }
  expect((await call(`POST ${address}`, { as: '', text, headers: headers('m-1', 0) })).status).toBe(202)
  expect((await call(`POST ${address}`, { as: '', text, headers: headers('m-2', 290_000) })).status).toBe(202)
  expect((await call(`POST ${address}`, { as: '', text, headers: headers('m-3', 310_000) })).status).toBe(401)
  const shown = await call('GET /v1/triggers/push')
  expect(shown.body).toMatchObject({ trigger: 'push', planId: 'build', deliverTo: address })
  expect(shown.text + (await call('GET /v1/triggers')).text).not.toContain('secret')
})

it('takes what Stripe signs, and knows a repeat by the id of the event', async () => {
  const { call, address } = await open({
    trigger: 'paid',
    planId: 'build',
    scheme: 'stripe',
    secret: 'whsec_of_stripe_0123',
    input: { branch: '${input.body.data.branch}' },
  })
  const text = '{"id": "evt_1", "data": {"branch": "main"}}'
  const time = Math.floor(Date.now() / 1_000)
  const v1 = createHmac('sha256', 'whsec_of_stripe_0123').update(`${time}.${text}`).digest('hex')
  const headers = { 'stripe-signature': `t=${time},v1=${v1},v0=ignored` }
  const answers = [1, 2].map(() => call(`POST ${address}`, { as: '', text, headers }))
  const ids = (await Promise.all(answers)).map(({ body }) => body.executionId)
  expect(new Set(ids).size).toBe(1)
})

it('refuses a delivery whose input the plan or the mapping refuses, and keeps why', async () => {
  const { call, address } = await open({ ...GITHUB, input: { text: 'on ${input.body.ref}!' } })
  const text = '{"other": 1}'
  const { status, body } = await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text) })
  expect([status, body.error.code]).toEqual([400, 'EXPR_VALUE_MISSING'])
  expect((await call('GET /v1/triggers/push/deliveries')).body.deliveries).toMatchObject([
    { outcome: 'refused', deliveryId: 'd-1', code: 'EXPR_VALUE_MISSING' },
  ])
})

it('changes what a trigger starts without its address or secret, and is gone when it is deleted', async () => {
  const { call, address } = await open()
  const taken = await call('POST /v1/triggers', { body: GITHUB })
  expect([taken.status, taken.body.error.code]).toEqual([409, 'TRIGGER_EXISTS'])
  const both = await call('POST /v1/triggers', { body: { ...GITHUB, trigger: 'b', secretRef: 'secret://x' } })
  expect([both.status, both.body.error.code]).toEqual([400, 'TRIGGER_INVALID'])
  const changed = await call('PUT /v1/triggers/push', { body: { planId: 'build', scheme: 'github', input: {} } })
  expect(changed.body).toMatchObject({ deliverTo: address, input: {} })
  const text = '{}'
  expect((await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text) })).status).toBe(202)
  expect((await call('GET /v1/triggers/push', { as: EVE })).body.error.code).toBe('TRIGGER_NOT_FOUND')
  expect((await call('DELETE /v1/triggers/push')).body).toEqual({ trigger: 'push', deleted: true })
  expect((await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text, 'd-9') })).status).toBe(401)
})

it('takes its secret from a reference, and starts nothing for a tenant that was deleted', async () => {
  const secrets = { resolve: async () => new Map([['secret://push', { value: GITHUB.secret }]]) }
  const { secret: _own, ...rest } = GITHUB
  const { call, keelson, address } = await open({ ...rest, secretRef: 'secret://push' }, { secrets })
  const text = '{"ref": "main"}'
  expect((await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text) })).status).toBe(202)
  const store = storeOf(keelson)
  await store.putTenant({ tenantId: 'acme', createdAt: 1 })
  await store.deleteTenant('acme', 2)
  expect((await call(`POST ${address}`, { as: '', text, headers: githubHeaders(text, 'd-2') })).status).toBe(401)
})
