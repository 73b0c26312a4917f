/** What a start may name as its plan: a published one or a reference. Over HTTP nothing else gets in, in whatever field it is brought. */
import { expect, it } from 'vitest'
import { loadPlan } from '../../src/main.ts'
import { served } from './served.ts'

const OPERATOR = 'acme.oda.Operator'
const OWN = 'plan: own\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n'

it('takes no plan in the place of a reference: neither a document, nor what says of itself that it was compiled [AUT-14, PLN-01]', async () => {
  let packed = 0
  await using server = await served({ steps: { pack: () => (packed += 1) } })
  const { plan, text, sha256 } = loadPlan(OWN)
  const document = { plan: 'own', version: '1.0.0', steps: [{ id: 'pack', run: 'pack' }] }
  for (const planRef of [
    document,
    { ...document, planId: 'own' },
    { plan, text, sha256 },
    { planId: 'own', plan, text, sha256 },
    { planId: 'own' },
    {},
  ]) {
    const refused = await server.call('POST /v1/executions?mode=sync', { as: OPERATOR, body: { planRef } })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'PLAN_REF_INVALID'])
  }
  expect(packed).toBe(0)
  expect((await server.call('GET /v1/plans')).body).toEqual({ plans: [] })
  expect((await server.call('GET /v1/executions')).body).toEqual({ executions: [] })
})

it('follows a reference to a published plan, and one to nowhere is refused', async () => {
  await using server = await served({ steps: { pack: () => 'packed' } })
  const sha256 = await server.publish(OWN)
  const reference = { sha256, schemaVersion: 'v1.0', planId: 'own', planVersion: '1.0.0' }
  const known = { ...reference, uri: `plan:sha256:${sha256}` }
  const started = await server.call('POST /v1/executions?mode=sync', { as: OPERATOR, body: { planRef: known } })
  expect([started.status, started.body.status]).toEqual([200, 'COMPLETED'])
  const file = { ...reference, uri: 'file:///etc/passwd' }
  const refused = await server.call('POST /v1/executions', { as: OPERATOR, body: { planRef: file } })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'PLAN_URI_NOT_ALLOWED'])
})

it('refuses a version or a hash that belongs to no planId, rather than to leave it unread', async () => {
  await using server = await served({ steps: { pack: () => 'packed' } })
  const sha256 = await server.publish(OWN)
  const planRef = { uri: `plan:sha256:${sha256}`, sha256, schemaVersion: 'v1.0', planId: 'own', planVersion: '1.0.0' }
  for (const beside of [{ planVersion: '2.0.0' }, { sha256: '0'.repeat(64) }]) {
    const refused = await server.call('POST /v1/executions', { as: OPERATOR, body: { planRef, ...beside } })
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'body: planVersion and sha256 need the planId that they are of',
    ])
  }
})

it('takes an instant for notBefore, and no age: a day ago is no tomorrow', async () => {
  await using server = await served({ steps: { pack: () => 'packed' } })
  await server.publish(OWN)
  for (const notBefore of ['24h', 'tomorrow']) {
    const refused = await server.call('POST /v1/executions', { body: { planId: 'own', notBefore } })
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'body: notBefore is an instant such as 2031-01-31T09:00:00Z',
    ])
  }
})
