/** Callers by tokens of a real OIDC issuer on this machine. */
import { SignJWT, type JWTPayload } from 'jose'
import { expect, it } from 'vitest'
import { byOidc, type Oidc } from '../../src/edge/http/who/oidc.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import type { ApiKeyStore } from '../../src/ports/api-keys.ts'
import { openKeelson } from '../../src/main.ts'
import { testIssuer, type TestIssuer } from './issuer.ts'
import { served, type Answered } from './served.ts'

const NOW = 1_800_000_000_000
const NOW_S = NOW / 1_000

type Claims = { readonly [name in keyof JWTPayload]?: unknown }

interface Asking extends AsyncDisposable {
  readonly issuer: TestIssuer
  readonly store: ApiKeyStore
  readonly ask: (token: string) => Promise<Answered>
  /** Signed with the first key, with what a good token has. */
  readonly token: (claims?: Claims, kid?: string) => Promise<string>
  pass(ms: number): void
}

async function asking(changes: Partial<Oidc> = {}): Promise<Asking> {
  const issuer = await testIssuer()
  await issuer.addKey('first', 'RS256')
  const keelson = await openKeelson({ directory: ':memory:' })
  const { store } = servicesOf(keelson)
  let elapsed = 0
  const now = (): number => NOW
  const oidc: Oidc = {
    issuer: issuer.url,
    audience: 'keelson',
    algorithms: ['RS256', 'ES256'],
    claims: { tenant: 'tenant', actor: 'sub', roles: 'realm_access.roles' },
    ...changes,
  }
  const who = firstWho([byOidc(oidc, { store, now, elapsedMs: () => elapsed })])
  const server = await served({}, { keelson, now, who })
  return {
    issuer,
    store,
    ask: (token) =>
      server.call('GET /v1/me', { as: '', headers: { authorization: `Bearer ${token}`, 'x-correlation-id': 'c-1' } }),
    token: (claims = {}, kid = 'first') =>
      issuer.token(kid, {
        iss: issuer.url,
        aud: 'keelson',
        sub: 'ana',
        tenant: 'acme',
        realm_access: { roles: ['operator', 'offline_access'] },
        exp: NOW_S + 300,
        ...claims,
      } as JWTPayload),
    pass: (ms) => (elapsed += ms),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await keelson.close()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

it('a token says who asks, for which tenant and with which roles [API-14]', async () => {
  await using at = await asking()
  await at.issuer.addKey('second', 'ES256')
  const { status, body } = await at.ask(await at.token())
  expect(status).toBe(200)
  expect(body).toMatchObject({ tenantId: 'acme', actorId: 'ana', kind: 'user', roles: ['Operator'] })
  expect((await at.ask(await at.token({}, 'second'))).status).toBe(200)
  expect(at.issuer.asked()).toBe(1)
})

it('claims are named in the configuration, as they stand or as a path [API-14]', async () => {
  await using at = await asking({ claims: { tenant: 'https://x.example/org', actor: 'a.b', roles: 'scope' } })
  const token = await at.token({ 'https://x.example/org': 'umbrella', a: { b: 'bo' }, scope: 'openid Admin viewer' })
  expect((await at.ask(token)).body).toMatchObject({ tenantId: 'umbrella', actorId: 'bo', roles: ['Admin', 'viewer'] })
})

it('whatever is wrong with a token, the answer is the same [AUT-09, API-14]', async () => {
  await using at = await asking()
  await at.issuer.addKey('stranger', 'RS256', false)
  await at.issuer.addKey('long', 'RS512')
  await at.store.putTenant({ tenantId: 'gone', createdAt: NOW })
  await at.store.deleteTenant('gone', NOW)
  const good = await at.token()
  const [head = '', , tail = ''] = good.split('.')
  const other = Buffer.from(JSON.stringify({ tenant: 'evil', exp: NOW_S + 300 })).toString('base64url')
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  const claims = { iss: at.issuer.url, aud: 'keelson', sub: 'ana', tenant: 'acme', exp: NOW_S + 300 }
  const shared = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' })
  const bad: Readonly<Record<string, string>> = {
    'another issuer': await at.token({ iss: 'https://evil.example' }),
    'another audience': await at.token({ aud: 'other' }),
    'an algorithm that is not allowed': await at.token({}, 'long'),
    'a shared secret': await shared.sign(new TextEncoder().encode('x'.repeat(32))),
    'no signature': `${none}.${good.split('.')[1] ?? ''}.AA`,
    'an unknown key': await at.token({}, 'stranger'),
    'changed claims': `${head}.${other}.${tail}`,
    'too old': await at.token({ exp: NOW_S - 61 }),
    'without an end': await at.token({ exp: undefined }),
    'not yet valid': await at.token({ nbf: NOW_S + 61 }),
    'no tenant': await at.token({ tenant: undefined }),
    'a tenant that is no text': await at.token({ tenant: ['acme'] }),
    'an empty tenant': await at.token({ tenant: '' }),
    'a deleted tenant': await at.token({ tenant: 'gone' }),
    'no actor': await at.token({ sub: undefined }),
    'no token': 'a.b.c',
    'no token at all': 'nonsense',
  }
  const answers = new Set<string>()
  for (const [what, token] of Object.entries(bad)) {
    const { status, text } = await at.ask(token)
    expect([what, status]).toEqual([what, 401])
    answers.add(text)
  }
  expect([...answers]).toEqual([expect.stringContaining('"NOT_AUTHENTICATED"')])
})

it('clocks may differ by less than a minute [API-14]', async () => {
  await using at = await asking()
  expect((await at.ask(await at.token({ exp: NOW_S - 59 }))).status).toBe(200)
  expect((await at.ask(await at.token({ exp: NOW_S - 61 }))).status).toBe(401)
  expect((await at.ask(await at.token({ nbf: NOW_S + 59 }))).status).toBe(200)
  expect((await at.ask(await at.token({ nbf: NOW_S + 61 }))).status).toBe(401)
})

it('a token without roles may do nothing [AUT-13]', async () => {
  await using at = await asking()
  const { status, body } = await at.ask(await at.token({ realm_access: undefined }))
  expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'AUTHZ_DENIED' })
})

it('a new key of the issuer is found, and unknown ones do not make the server ask without end', async () => {
  await using at = await asking()
  await at.ask(await at.token())
  await at.issuer.addKey('stranger', 'RS256', false)
  at.pass(30_000)
  for (let times = 0; times < 20; times++) expect((await at.ask(await at.token({}, 'stranger'))).status).toBe(401)
  expect(at.issuer.asked()).toBe(2)
  await at.issuer.addKey('new', 'ES256')
  expect((await at.ask(await at.token({}, 'new'))).status).toBe(401)
  at.pass(30_000)
  const answers = await Promise.all(Array.from({ length: 8 }, async () => at.ask(await at.token({}, 'new'))))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(at.issuer.asked()).toBe(3)
})

it('an issuer that does not answer makes the server busy, not broken, and its keys last for an hour', async () => {
  await using at = await asking()
  at.issuer.answers(500)
  const token = await at.token()
  const { status, body, headers } = await at.ask(token)
  expect({ status, code: body.error.code, retry: headers.get('retry-after') }).toEqual({
    status: 503,
    code: 'SERVER_BUSY',
    retry: '5',
  })
  at.issuer.answers(200)
  expect((await at.ask(token)).status).toBe(503)
  at.pass(5_000)
  expect((await at.ask(token)).status).toBe(200)
  at.issuer.answers(500)
  at.pass(59 * 60_000)
  expect((await at.ask(token)).status).toBe(200)
  at.pass(60_000)
  expect((await at.ask(token)).status).toBe(503)
})
