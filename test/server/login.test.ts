/** People who log in with a browser, at an issuer that nobody here wrote. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'
import { fileSigningKeys } from '../../src/adapters/keys/file-keys.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { ownPort } from '../setup/own-port.ts'
import { partsOf } from '../../src/library/services-of.ts'
import { testFolder } from '../fixtures/folder.ts'
import { Browser } from './browser.ts'
import { loginServer } from './login-server.ts'
import { served, type Served } from './served.ts'

const SESSION = /keelson-session/
const LOGIN = /keelson-login/

/** What the audit log of the tenant says about who came and went. */
async function actsOf(server: Served, admin: Browser): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body } = await server.call('GET /v1/audit', { as: '', headers: { cookie: admin.cookies() } })
  const records = body.records as readonly { readonly type: string; readonly record: string }[]
  const decisions = records.filter(({ type }) => type === 'AUTH_DECISION')
  return decisions.map(({ record }) => JSON.parse(record) as Readonly<Record<string, unknown>>)
}

it('leads to the issuer and back to where the login began, with a session that says who it is [API-14, AUT-12]', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const page = await browser.go(`${at.server.url}/login?returnTo=/v1/me`)
  expect(page.way[1]).toMatch(
    new RegExp(`^${at.issuer.url}/auth\\?.*code_challenge=[\\w-]{43}&code_challenge_method=S256`),
  )
  const end = await browser.logIn(page, 'vera')
  expect([end.status, end.url]).toEqual([200, `${at.server.url}/v1/me`])
  expect(JSON.parse(end.text)).toEqual({
    tenantId: 'acme',
    actorId: 'vera',
    kind: 'user',
    roles: ['viewer'],
    actions: ['PLAN_READ', 'RUN_READ_STATUS', 'TENANT_READ'],
    sessionEndsAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.000Z$/),
  })
  expect([browser.cookie(LOGIN), browser.cookie(SESSION)?.[0]]).toEqual([
    undefined,
    `keelson-session-${new URL(at.server.url).port}`,
  ])
  const { browser: admin } = await at.loggedIn('ana')
  const acts = await actsOf(at.server, admin)
  expect(acts).toEqual(
    ['vera', 'ana'].map((actorId) =>
      expect.objectContaining({ actorId, action: 'LOGIN', call: 'finishLogin', decision: 'GRANTED' }),
    ),
  )
  for (const person of [browser, admin]) expect(JSON.stringify(acts)).not.toContain(person.cookie(SESSION)?.[1])
  expect(at.server.told).toEqual([])
})

it('behind TLS the cookies are for this host alone, over TLS alone, and for no script [API-14]', async () => {
  await using at = await loginServer({ redirectUrl: 'https://keelson.example/login/callback' })
  const flags = 'Path=/; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$'
  const browser = new Browser()
  const begun = await browser.ask(`${at.server.url}/login`)
  expect(begun.headers.getSetCookie()).toEqual([
    expect.stringMatching(new RegExp(`^__Host-keelson-login=[\\w.-]+; ${flags}`)),
  ])
  const page = await browser.go(begun.headers.get('location') ?? '')
  const back = await browser.logIn(page, 'ana', /^https:\/\/keelson\.example\//)
  const done = await browser.ask(back.url.replace('https://keelson.example', at.server.url))
  expect([done.status, done.headers.get('location')]).toEqual([302, 'https://keelson.example/'])
  expect(done.headers.getSetCookie()).toEqual([
    expect.stringMatching(new RegExp(`^__Host-keelson-session=[\\w.-]+; ${flags}`)),
    '__Host-keelson-login=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  ])
  expect(done.headers.get('cache-control')).toBe('no-store')
  expect(await at.me(browser.cookies())).toBe('ana')
  const post = (origin: string): Promise<{ readonly status: number }> =>
    at.server.call('POST /logout', { as: '', headers: { cookie: browser.cookies(), origin } })
  expect((await post('https://other.example')).status).toBe(403)
  expect((await post('https://keelson.example')).status).toBe(200)
})

it("a session ends with the issuer's token, after eight hours at the latest [API-14]", async () => {
  for (const [idTokenS, endsMs] of [
    [60, 60_000],
    [86_400, 28_800_000],
  ] as const) {
    await using at = await loginServer({ ttl: { IdToken: idTokenS } })
    const before = Date.now()
    const { browser, visit } = await at.loggedIn('ana')
    const left = Date.parse((JSON.parse(visit.text) as { readonly sessionEndsAt: string }).sessionEndsAt) - before
    expect(left).toBeGreaterThan(endsMs - 2_000)
    expect(left).toBeLessThanOrEqual(endsMs + (Date.now() - before))
    at.pass(left - 5_000 - (Date.now() - before))
    expect(await at.me(browser.cookies())).toBe('ana')
    at.pass(5_000)
    expect(await at.me(browser.cookies())).toBe('NOT_AUTHENTICATED')
  }
})

it('several tabs of one browser can log in at once', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const tabs = []
  for (const tab of ['/v1/me', '/v1/plans', '/v1/tasks', '/v1/queue'])
    tabs.push((await browser.ask(`${at.server.url}/login?returnTo=${tab}`)).headers.get('location') ?? '')
  const [first = '', second = '', , fourth = ''] = tabs
  const done = await browser.logIn(await browser.go(fourth), 'ana')
  expect([done.status, done.url]).toEqual([200, `${at.server.url}/v1/queue`])
  const other = await browser.logIn(await browser.go(second), 'ana')
  expect([other.status, other.url]).toEqual([200, `${at.server.url}/v1/plans`])
  const oldest = await browser.logIn(await browser.go(first), 'ana')
  expect([oldest.status, JSON.parse(oldest.text).error.code]).toEqual([400, 'LOGIN_FAILED'])
  expect(await at.me(browser.cookies())).toBe('ana')
})

it('logout ends the session at once, for copies of the cookie and open streams too; the issuer knows the person on [AUT-12]', async () => {
  await using at = await loginServer()
  const { browser } = await at.loggedIn('ana')
  const copy = browser.cookies()
  const stream = await fetch(`${at.server.url}/v1/stream`, { headers: { cookie: copy } })
  expect(stream.status).toBe(200)
  const out = await browser.ask(`${at.server.url}/logout`, { method: 'POST', headers: { origin: at.server.url } })
  expect([out.status, await out.json()]).toEqual([
    200,
    {
      ended: true,
      issuer: at.issuer.url,
      issuerSession: 'goes on',
      issuerLogout: expect.stringMatching(new RegExp(`^${at.issuer.url}/session/end\\?client_id=keelson-web$`)),
    },
  ])
  expect(browser.cookie(SESSION)).toBeUndefined()
  expect(await at.me(copy)).toBe('NOT_AUTHENTICATED')
  // It ends: otherwise this would wait for ever.
  expect(await stream.text()).toContain('event: hello')
  const again = await at.server.call('POST /logout', { as: '', headers: { cookie: copy, origin: at.server.url } })
  expect([again.status, again.body.ended]).toEqual([200, false])
  const back = await browser.go(`${at.server.url}/login?returnTo=/v1/me`)
  expect([back.status, JSON.parse(back.text).actorId]).toEqual([200, 'ana'])
  const acts = await actsOf(at.server, browser)
  expect(acts.map(({ actorId, action }) => [actorId, action])).toEqual([
    ['ana', 'LOGIN'],
    ['ana', 'LOGOUT'],
    ['ana', 'LOGIN'],
  ])
})

it('servers with the same keys take each other’s sessions, whatever their stores', async () => {
  const port = await ownPort()
  const redirectUris = [`http://127.0.0.1:${port}/login/callback`]
  await using one = await loginServer({ redirectUris })
  const { keys } = partsOf(one.keelson)
  await using other = await loginServer({ issuer: one.issuer, keys, port })
  await using stranger = await loginServer({ issuer: one.issuer })
  const { browser } = await one.loggedIn('ana')
  const [, sealed = ''] = browser.cookie(SESSION) ?? []
  const at = (server: typeof one): Promise<string> =>
    server.me(`keelson-session-${new URL(server.server.url).port}=${sealed}`)
  expect([await at(one), await at(other), await at(stranger)]).toEqual(['ana', 'ana', 'NOT_AUTHENTICATED'])
})

it('a logout counts at every server on the store, ends what is read there, and counts after a restart', async () => {
  const opening = { directory: testFolder() }
  const port = await ownPort()
  const redirectUris = [`http://127.0.0.1:${port}/login/callback`]
  await using one = await loginServer({ redirectUris, opening })
  const { keys } = partsOf(one.keelson)
  const { browser } = await one.loggedIn('ana')
  const [, sealed = ''] = browser.cookie(SESSION) ?? []
  const cookie = `keelson-session-${port}=${sealed}`
  {
    await using other = await loginServer({
      issuer: one.issuer,
      keys,
      port,
      opening,
      serving: { streams: { whoMs: 20 } },
    })
    expect(await other.me(cookie)).toBe('ana')
    const stream = await fetch(`${other.server.url}/v1/stream`, { headers: { cookie } })
    expect(stream.status).toBe(200)
    await browser.ask(`${one.server.url}/logout`, { method: 'POST', headers: { origin: one.server.url } })
    expect(await other.me(cookie)).toBe('NOT_AUTHENTICATED')
    // It ends: otherwise this would wait for ever.
    expect(await stream.text()).toContain('event: hello')
  }
  await using restarted = await loginServer({ issuer: one.issuer, keys, port, opening })
  expect(await restarted.me(cookie)).toBe('NOT_AUTHENTICATED')
})

it('a newer key seals new sessions, older ones open what they sealed, and a key that is taken away ends its sessions [P-35]', async () => {
  const folder = testFolder()
  const keys = fileSigningKeys(folder, systemRandom)
  let elapsed = 0
  await using at = await loginServer({ keys, elapsedMs: () => elapsed })
  const { browser: early } = await at.loggedIn('ana')
  writeFileSync(join(folder, 'k2'), systemRandom.bytes(32), { mode: 0o600 })
  const { browser: later } = await at.loggedIn('vera')
  const keyOf = (browser: Browser): unknown => decodeProtectedHeader(browser.cookie(SESSION)?.[1] ?? '').kid
  expect([keyOf(early), keyOf(later)]).toEqual(['k1', 'k2'])
  const people = async (): Promise<readonly string[]> => [await at.me(early.cookies()), await at.me(later.cookies())]
  expect(await people()).toEqual(['ana', 'vera'])
  rmSync(join(folder, 'k1'))
  elapsed += 60_000
  expect(await people()).toEqual(['NOT_AUTHENTICATED', 'vera'])
})

it('an issuer that cannot be asked, or does not know the server, fails the login and nothing else', async () => {
  const gone = await loginServer()
  await gone.issuer[Symbol.asyncDispose]()
  const busy = await gone.server.call('GET /login', { as: '' })
  expect([busy.status, busy.body.error.code, busy.headers.get('retry-after')]).toEqual([503, 'SERVER_BUSY', '5'])
  expect((await gone.server.call('GET /healthz', { as: '' })).status).toBe(200)
  expect(gone.server.told).toEqual([])
  await gone.server[Symbol.asyncDispose]()
  await gone.keelson.close()
  await using at = await loginServer({ clientSecret: 'another' })
  const { visit } = await at.loggedIn('ana')
  expect([visit.status, JSON.parse(visit.text).error]).toEqual([
    400,
    expect.objectContaining({
      code: 'LOGIN_FAILED',
      message: "the issuer does not take this server for its client: check the client's id and secret",
    }),
  ])
  expect(at.server.told).toEqual([])
})

it('a server without an issuer says that nobody can log in, and one with it says how', async () => {
  await using plain = await served()
  for (const line of ['GET /login', 'GET /login/callback?state=x', 'GET /login/issuer', 'POST /logout']) {
    const { status, body } = await plain.call(line, { as: '', headers: { origin: plain.url } })
    expect([line, status, body.error.code]).toEqual([line, 404, 'LOGIN_NOT_CONFIGURED'])
  }
  await using at = await loginServer()
  expect((await at.server.call('GET /login/issuer', { as: '' })).body).toEqual({ issuer: at.issuer.url, browser: true })
  const commandLine = { clientId: 'cli', scopes: ['openid'], parameters: { resource: 'https://x.example' } }
  await using only = await served({}, { login: { issuer: 'https://id.example', commandLine } })
  expect((await only.call('GET /login/issuer', { as: '' })).body).toEqual({
    issuer: 'https://id.example',
    browser: false,
    commandLine,
  })
  expect((await only.call('GET /login', { as: '' })).status).toBe(404)
})
