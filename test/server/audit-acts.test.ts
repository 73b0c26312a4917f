/**
 * Every route of the table that changes something leaves exactly one record in the audit log of its tenant, and the record says how it
 * ended: made from the table, so that a new row is tested without a change here.
 */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditSaid } from '../../src/core/audit/audit-chain.ts'
import type { Contract } from '../../src/core/api/contract.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { fileFolder } from '../fixtures/folder.ts'
import { BOUND, peopled, send, type Peopled, type Told } from './peopled.ts'
import { sampleRequest, type Names } from './sample-requests.ts'

type Said = Readonly<Record<string, unknown>>

const folder = fileFolder()
let world: Peopled

beforeAll(async () => {
  world = await peopled(folder)
})
afterAll(async () => world[Symbol.asyncDispose]())

const ACTS = BOUND.filter(({ access, method }) => method !== 'GET' && access !== 'anyone' && access !== 'signature')
/** Where nothing happened that anybody would look for later, they are counted. */
const QUIET = ['heartbeatWork', 'claimWork', 'saveView', 'removeView']

/** What was recorded while the request was answered, but for counted reads. */
async function recordedBy(
  as: string,
  contract: Contract,
  names: Names,
): Promise<{ told: Told; said: readonly Said[] }> {
  const store = storeOf(world.server.keelson)
  const { position } = await store.auditHead('acme')
  const told = await send(world.server.url, contract, sampleRequest(contract, names), { as })
  const said = (await store.readAudit('acme', position, 100)).map(({ record }) => auditSaid(record) as Said)
  return { told, said: said.filter(({ count }) => count === undefined) }
}

/** 401, 403 and 404 are refusals of the person or of what is not theirs; any other failure met somebody who had the right. */
function expected({ status, text }: Told): Said {
  if (status < 400) return { decision: 'GRANTED' }
  const { code } = (JSON.parse(text) as { readonly error: { readonly code: string } }).error
  return { decision: [401, 403, 404].includes(status) ? 'DENIED' : 'GRANTED', reasonCode: code }
}

function decided({ decision, reasonCode }: Said): Said {
  return { decision, ...(reasonCode === undefined ? {} : { reasonCode }) }
}

describe.each(ACTS.map((contract) => [contract.id, contract] as const))('%s', (id, contract) => {
  it('leaves one record that says how it ended, of what is the tenant’s own and of what nobody has [AUT-12]', async () => {
    const { names, nobodys } = world.acme
    for (const asked of [nobodys, names]) {
      const { told, said } = await recordedBy('acme.bob.Admin+System+server-operator', contract, asked)
      if (told.status < 400 && QUIET.includes(id)) continue
      expect(said.map(({ call, actorId }) => [call, actorId])).toEqual([[id, 'bob']])
      expect(said.map(decided)).toEqual([expected(told)])
    }
  })

  it('leaves one denial of whoever has no role for it [AUT-12, AUT-13]', async () => {
    const { told, said } = await recordedBy('acme.nil.nothing', contract, world.acme.names)
    expect(told.status).toBe(403)
    expect(said.map(({ actorId, action }) => [actorId, action])).toEqual([['nil', contract.access]])
    expect(said.map(decided)).toEqual([{ decision: 'DENIED', reasonCode: 'AUTHZ_DENIED' }])
  })
})

it('what whoever has no role for it writes in the place of an id is not kept in its denial [AUT-12]', async () => {
  const { server } = world
  const store = storeOf(server.keelson)
  const { position } = await store.auditHead('acme')
  for (const text of ['none', 'x'.repeat(1_900)]) {
    const refused = await server.call(`POST /v1/executions/${text}/cancel`, { as: 'acme.nil.nothing', body: {} })
    expect(refused.status).toBe(403)
  }
  const said = (await store.readAudit('acme', position, 10)).map(({ record }) => auditSaid(record) as Said)
  expect(said.map(({ decision, target }) => [decision, target])).toEqual([
    ['DENIED', 'none'],
    ['DENIED', undefined],
  ])
})

it('a plan whose schedule its author may not have is one denial, with the call it was asked by [AUT-12]', async () => {
  const { server } = world
  const store = storeOf(server.keelson)
  const { position } = await store.auditHead('acme')
  const text = 'plan: timed\nversion: 1.0.0\nschedule: { every: 1h }\nsteps: [{ id: a, run: pack }]\n'
  const refused = await server.call('PUT /v1/plans', { as: 'acme.pat.plan-author', body: { text } })
  expect(refused.status).toBe(403)
  const said = (await store.readAudit('acme', position, 10)).map(({ record }) => auditSaid(record) as Said)
  expect(said).toMatchObject([{ call: 'publishPlan', decision: 'DENIED', reasonCode: 'AUTHZ_DENIED', actorId: 'pat' }])
  expect(said[0]?.['policyDecisionId']).toEqual(expect.any(String))
})

it('a delivery that starts a run is recorded once, as the act of its trigger [AUT-12]', async () => {
  const { server, acme } = world
  const secret = 'a secret of sixteen'
  const trigger = { trigger: 'audited', planId: acme.names['planId'], scheme: 'github', secret, input: { items: [] } }
  const made = await server.call('POST /v1/triggers', { as: 'acme.bob.Admin', body: trigger })
  const store = storeOf(server.keelson)
  const { position } = await store.auditHead('acme')
  const signature = createHmac('sha256', secret).update('{}').digest('hex')
  const headers = { 'x-github-delivery': 'd-1', 'x-hub-signature-256': `sha256=${signature}` }
  const sent = { as: '', text: '{}', headers }
  const [first, again] = [
    await server.call(`POST ${made.body.deliverTo}`, sent),
    await server.call(`POST ${made.body.deliverTo}`, sent),
  ]
  expect([first.status, again.status]).toEqual([202, 200])
  const said = (await store.readAudit('acme', position, 10)).map(({ record }) => auditSaid(record) as Said)
  const target = first.body.executionId
  expect(said).toMatchObject([{ actorId: 'trigger:audited', action: 'RUN_START', call: 'deliver', target }])
})

it('a System key sends what AUT-05 gives it, and approves and rejects nothing [AUT-05, AUT-13]', async () => {
  const { server, acme } = world
  for (const act of ['approve', 'reject']) {
    const told = await server.call(`POST /v1/queue/${acme.runs.waiting}/${act}`, { as: 'acme.sys.System', body: {} })
    expect([told.status, told.body.error.code, told.body.error.details.action]).toEqual([
      403,
      'AUTHZ_DENIED',
      'RUN_APPROVE',
    ])
  }
})
