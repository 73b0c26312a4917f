/** Nobody is the second person of their own wish by an API key: a key acts as whoever made it. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'
import { BOB, served, type CallGiven, type Served } from './served.ts'

const PAY = `
plan: pay
version: 1.0.0
steps:
  - { id: ask, manual: { title: 'Pay?', rule: MakerChecker } }
  - { id: pay, run: pay, dependsOn: [ask] }
`

interface Keyed extends AsyncDisposable {
  readonly people: Served
  /** By a key that Ana made for herself. */
  readonly byKey: (line: string, given?: CallGiven) => ReturnType<Served['call']>
  readonly run: string
}

/** Ana starts a run; two servers on one store, the second of which knows keys only. */
async function keyed(): Promise<Keyed> {
  const approvalFor = ['PAUSE']
  const steps = { pay: () => 'paid' }
  const people = await served({ directory: testFolder(), steps }, { approvalFor, hasClockwork: true })
  const { keelson } = people
  const who = firstWho([byApiKey({ store: servicesOf(keelson).store, now: Date.now })])
  const programs = await served({}, { keelson, approvalFor, who })
  const made = await people.call('POST /v1/keys', { body: { roles: ['Admin'], displayName: 'bob' } })
  await people.publish(PAY)
  const run = (await people.call('POST /v1/executions', { body: { planId: 'pay' } })).body.executionId
  return {
    people,
    byKey: (line, given) => programs.call(line, { ...given, as: made.body.key }),
    run,
    [Symbol.asyncDispose]: async () => {
      await programs[Symbol.asyncDispose]()
      await people[Symbol.asyncDispose]()
    },
  }
}

it('no key is made in the name of somebody else, however it is written; in the own name it is', async () => {
  await using server = await served()
  const make = async (actorId: string): Promise<readonly unknown[]> => {
    const { status, body } = await server.call('POST /v1/keys', { body: { actorId, roles: ['viewer'] } })
    return [status, body.error?.code]
  }
  expect(await make('bob')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await make('key:robot')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await make('Ana ')).toEqual([201, undefined])
  const { body } = await server.call('GET /v1/keys')
  expect(body.keys).toMatchObject([{ actorId: 'ana', createdBy: 'ana' }])
})

it('a signal that waits for a second person is not accepted by a key of its sender, nor the other way round [AUT-04]', async () => {
  await using server = await keyed()
  const signal = { signalId: randomUUID(), signalType: 'PAUSE', payload: {} }
  const line = `POST /v1/executions/${server.run}/signals`
  const sent = await server.people.call(line, { body: signal })
  const accept = `POST /v1/decisions/${sent.body.signalDecisionId}/accept`
  const own = await server.byKey(accept, { body: {} })
  expect([own.status, own.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect((await server.people.call(accept, { as: BOB, body: {} })).status).toBe(200)
  const byKey = await server.byKey(line, { body: { ...signal, signalId: randomUUID() } })
  const back = await server.people.call(`POST /v1/decisions/${byKey.body.signalDecisionId}/accept`, { body: {} })
  expect([back.status, back.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
})

it('a task that asks for another person than the maker is not completed by a key of the maker [MAN-08]', async () => {
  await using server = await keyed()
  const tokenFor = async (as: string): Promise<unknown> =>
    (await server.people.call('GET /v1/tasks', { as })).body.tasks[0]?.token
  await until(async () => (await tokenFor(BOB)) !== undefined)
  const complete = `POST /v1/tasks/${String(await tokenFor(BOB))}/complete`
  for (const body of [{ outcome: 'Succeeded' }, { outcome: 'Succeeded', actorUserId: 'bob' }])
    expect((await server.byKey(complete, { body })).status).toBeGreaterThanOrEqual(400)
  expect((await server.people.call(complete, { as: BOB, body: { outcome: 'Succeeded' } })).status).toBe(200)
})

it('what an operation on many runs asks for is not accepted by a key of whoever began it [AUT-04]', async () => {
  await using server = await keyed()
  const body = { operationId: randomUUID(), filter: { planId: 'pay' }, signalType: 'PAUSE' }
  expect((await server.people.call('POST /v1/operations', { body })).status).toBe(202)
  const pending = async (): Promise<readonly { readonly signalDecisionId: string }[]> =>
    (await server.people.call('GET /v1/decisions?state=PENDING')).body.decisions
  await until(async () => (await pending()).length === 1)
  const accept = `POST /v1/decisions/${(await pending())[0]?.signalDecisionId ?? ''}/accept`
  const own = await server.byKey(accept, { body: {} })
  expect([own.status, own.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect((await server.people.call(accept, { as: BOB, body: {} })).status).toBe(200)
})

it('a key for a while makes none that outlives it [AUT-13]', async () => {
  await using server = await served({})
  const { keelson } = server
  await using programs = await served(
    {},
    { keelson, who: firstWho([byApiKey({ store: servicesOf(keelson).store, now: Date.now })]) },
  )
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const first = await server.call('POST /v1/keys', { body: { roles: ['Admin'], expiresAt } })
  const make = (more: object): ReturnType<Served['call']> =>
    programs.call('POST /v1/keys', { as: first.body.key, body: { roles: ['viewer'], ...more } })
  const later = await make({ expiresAt: '2999-01-01T00:00:00Z' })
  expect([later.status, later.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  const made = [await make({}), await make({ expiresAt: new Date(Date.now() + 60_000).toISOString() })]
  expect(made.map(({ status }) => status)).toEqual([201, 201])
  const { body } = await programs.call('GET /v1/keys', { as: first.body.key })
  const ends = (body.keys as readonly { readonly keyId: string; readonly expiresAt: string }[])
    .filter(({ keyId }) => keyId === made[0]?.body.keyId)
    .map((key) => key.expiresAt)
  expect(ends).toEqual([expiresAt])
})
