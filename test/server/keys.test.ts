/** API keys over real HTTP: who holds one is its actor, and whatever is wrong with one gives the same answer. */
import { expect, it } from 'vitest'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import type { ApiKeyStore, StoredApiKey } from '../../src/ports/api-keys.ts'
import { openKeelson } from '../../src/main.ts'
import { EVE, served, type CallGiven, type Served } from './served.ts'

const MINUTE_MS = 60_000
const SAME_ID = { 'x-correlation-id': 'c-1' }

/** The server of the other tests makes the key as its Admin; a second one on the same store knows only keys. */
async function twoServers(now: () => number = Date.now): Promise<{
  readonly first: Served
  readonly asks: (key: string, line?: string, given?: CallGiven) => ReturnType<Served['call']>
  readonly create: (fields?: object, as?: string) => Promise<string>
  readonly store: ApiKeyStore
  [Symbol.asyncDispose](): Promise<void>
}> {
  const keelson = await openKeelson({ directory: ':memory:' })
  const { store } = servicesOf(keelson)
  const first = await served({}, { keelson, now })
  const second = await served({}, { keelson, now, who: firstWho([byApiKey({ store, now })]) })
  return {
    first,
    store,
    asks: (key, line = 'GET /v1/me', given = {}) =>
      second.call(line, {
        ...given,
        as: '',
        headers: { authorization: `Bearer ${key}`, ...SAME_ID, ...given.headers },
      }),
    create: async (fields = {}, as) => {
      const body = { roles: ['Operator'], ...fields }
      const answer = await first.call('POST /v1/keys', { body, ...(as === undefined ? {} : { as }) })
      expect(answer.status).toBe(201)
      return answer.body.key as string
    },
    [Symbol.asyncDispose]: async () => {
      await second[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await keelson.close()
    },
  }
}

const idOf = (key: string): string => key.split('_')[1] ?? ''

it('a key is its actor in its tenant with its roles, and only the hash of its secret is kept [AUT-09, API-14]', async () => {
  await using servers = await twoServers()
  const key = await servers.create()
  expect(key).toMatch(/^kls_[0-9a-f]{16}_[0-9a-f]{64}$/)
  const { status, body } = await servers.asks(key)
  expect(status).toBe(200)
  expect(body).toMatchObject({ tenantId: 'acme', actorId: 'ana', kind: 'key', roles: ['Operator'] })
  const stored = (await servers.store.findApiKey(idOf(key))) as StoredApiKey
  expect(Buffer.from(stored.secretSha256).toString('hex')).not.toBe(key.split('_')[2])
  expect(stored.secretSha256).toHaveLength(32)
})

it('unknown, changed, expired, revoked and orphaned keys are refused with the same bytes [AUT-09, AUT-10]', async () => {
  let now = Date.now()
  await using servers = await twoServers(() => now)
  const expiring = await servers.create({ expiresAt: new Date(now + MINUTE_MS).toISOString() })
  const revoked = await servers.create()
  const orphan = await servers.create({}, EVE)
  const changed = (await servers.create()).replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  for (const key of [expiring, revoked, orphan]) expect((await servers.asks(key)).status).toBe(200)
  now += MINUTE_MS
  expect((await servers.first.call(`DELETE /v1/keys/${idOf(revoked)}`)).status).toBe(200)
  await servers.store.deleteTenant('evil', now)
  const unknown = `kls_${'a'.repeat(16)}_${'b'.repeat(64)}`
  const answers = []
  for (const key of [unknown, changed, expiring, revoked, orphan, 'kls_x', 'nonsense', 'a.b.c'])
    answers.push(await servers.asks(key))
  const [first] = answers
  expect(first?.status).toBe(401)
  expect(first?.body.error).toMatchObject({ code: 'NOT_AUTHENTICATED', category: 'UNAUTHENTICATED' })
  expect(first?.headers.get('www-authenticate')).toBe('Bearer realm="keelson"')
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const headers = answers.map((one) => JSON.stringify([...one.headers].filter(([name]) => name !== 'date')))
  expect(new Set(headers).size).toBe(1)
})

it('the last use of a key is noted at most once a minute', async () => {
  let now = Date.now()
  await using servers = await twoServers(() => now)
  const key = await servers.create()
  const lastUse = async (): Promise<number | undefined> => (await servers.store.findApiKey(idOf(key)))?.lastUsedAt
  await servers.asks(key)
  const first = now
  expect(await lastUse()).toBe(first)
  now += MINUTE_MS - 1
  await servers.asks(key)
  expect(await lastUse()).toBe(first)
  now += 1
  await servers.asks(key)
  expect(await lastUse()).toBe(now)
})

it('keys are listed without secrets, each tenant its own [AUT-10]', async () => {
  await using servers = await twoServers()
  const key = await servers.create({ displayName: 'night job' })
  await servers.create({}, EVE)
  const { body, text } = await servers.first.call('GET /v1/keys')
  expect(body.keys).toEqual([
    {
      keyId: idOf(key),
      actorId: 'ana',
      roles: ['Operator'],
      createdAt: expect.stringMatching(/^\d{4}-/),
      createdBy: 'ana',
      displayName: 'night job',
    },
  ])
  expect(text).not.toContain('ecret')
  const foreign = await servers.first.call(`DELETE /v1/keys/${idOf(key)}`, { as: EVE, headers: SAME_ID })
  const unknown = await servers.first.call(`DELETE /v1/keys/${'0'.repeat(16)}`, { as: EVE, headers: SAME_ID })
  expect(foreign.status).toBe(404)
  expect(foreign.body.error.code).toBe('KEY_NOT_FOUND')
  expect(foreign.body.error).toEqual(unknown.body.error)
  expect((await servers.asks(key)).status).toBe(200)
})

it('nobody gives a role that can do what they cannot [AUT-05, AUT-13, X-51]', async () => {
  await using servers = await twoServers()
  const give = (roles: readonly string[], as: string): ReturnType<Served['call']> =>
    servers.first.call('POST /v1/keys', { as, body: { roles } })
  expect((await give(['Admin', 'tenant-admin', 'viewer'], 'acme.ana.Admin')).status).toBe(201)
  const system = await give(['System'], 'acme.ana.Admin')
  expect(system.status).toBe(403)
  expect(system.body.error.message).toBe('ana cannot give the role System: it can do what ana cannot')
  expect((await give(['System'], 'acme.ana.Admin+System')).status).toBe(201)
  expect((await give(['viewer'], 'acme.ana.Engineer')).body.error.code).toBe('AUTHZ_DENIED')
  const wrong = await give(['operatr'], 'acme.ana.Admin')
  expect(wrong.status).toBe(400)
  expect(wrong.body.error).toMatchObject({ code: 'BODY_INVALID', hint: "did you mean 'Operator'?" })
  expect((await give([], 'acme.ana.Admin')).body.error.code).toBe('BODY_INVALID')
})

it('the time of an expiry lies ahead', async () => {
  await using servers = await twoServers()
  const make = (expiresAt: string): ReturnType<Served['call']> =>
    servers.first.call('POST /v1/keys', { body: { roles: ['viewer'], expiresAt } })
  expect((await make('2001-01-01T00:00:00Z')).body.error.code).toBe('BODY_INVALID')
  expect((await make('tomorrow')).body.error.code).toBe('BODY_INVALID')
  expect((await make('2999-01-01T00:00:00Z')).status).toBe(201)
})
