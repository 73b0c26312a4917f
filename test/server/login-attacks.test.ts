/** Attacks on the login of people: each is tried for real, at a server and an issuer on this machine. */
import { EncryptJWT } from 'jose'
import { expect, it } from 'vitest'
import { partsOf } from '../../src/library/services-of.ts'
import { Browser, type Visit } from './browser.ts'
import { loginServer, type LoginServer } from './login-server.ts'
import { CLIENT, CLIENT_SECRET } from './provider.ts'

const SESSION = /keelson-session/
const LOGIN = /keelson-login/
const CALLBACK = /\/login\/callback\?/

/** As far as the callback, which is not asked any more. */
async function almost(at: LoginServer, browser: Browser, name = 'ana'): Promise<Visit> {
  return browser.logIn(await browser.go(`${at.server.url}/login`), name, CALLBACK)
}

async function refusal(browser: Browser, url: string): Promise<readonly unknown[]> {
  const response = await browser.ask(url)
  const { error } = (await response.json()) as { readonly error: { readonly code: string; readonly message: string } }
  return [response.status, error.code, error.message, browser.cookie(SESSION)]
}

const NOT_BEGUN = 'this browser did not begin such a login here, or began it too long ago'
const NOT_TAKEN = (why: string): string => `the issuer's answer was not taken: ${why}`

it('a state that this browser did not bring, another browser, and a login of too long ago are refused [API-14]', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const { url } = await almost(at, browser)
  expect(await refusal(browser, url.replace(/state=[^&]+/, `state=${'A'.repeat(43)}`))).toEqual([
    400,
    'LOGIN_FAILED',
    NOT_BEGUN,
    undefined,
  ])
  expect(await refusal(new Browser(), url)).toEqual([400, 'LOGIN_FAILED', NOT_BEGUN, undefined])
  at.pass(600_000)
  expect(await refusal(browser, url)).toEqual([400, 'LOGIN_FAILED', NOT_BEGUN, undefined])
})

it('an ID token with another nonce is refused [API-14]', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const begun = await browser.ask(`${at.server.url}/login`)
  const changed = (begun.headers.get('location') ?? '').replace(/nonce=[^&]+/, 'nonce=another')
  const { url } = await browser.logIn(await browser.go(changed), 'ana', CALLBACK)
  expect(await refusal(browser, url)).toEqual([
    400,
    'LOGIN_FAILED',
    NOT_TAKEN('OAUTH_JWT_CLAIM_COMPARISON_FAILED'),
    undefined,
  ])
})

it('a code counts once, and nothing without the verifier that only this browser’s cookie has [API-14]', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const { url } = await almost(at, browser)
  const [name = '', value = ''] = browser.cookie(LOGIN) ?? []
  expect((await browser.ask(url)).status).toBe(302)
  const thief = new Browser()
  thief.put(name, value)
  expect(await refusal(thief, url)).toEqual([400, 'LOGIN_FAILED', NOT_TAKEN('invalid_grant'), undefined])
  const { url: stolen } = await almost(at, new Browser())
  const exchange = (more: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${at.issuer.url}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${CLIENT}:${encodeURIComponent(CLIENT_SECRET).replaceAll('%20', '+')}`)}`,
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(stolen).searchParams.get('code') ?? '',
        redirect_uri: `${at.server.url}/login/callback`,
        ...more,
      }),
    })
  for (const more of [{}, { code_verifier: 'v'.repeat(43) }] as const) {
    const response = await exchange(more)
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
  }
})

it('an answer of another issuer, a refusal, and an answer without a code begin no session [API-14]', async () => {
  await using at = await loginServer()
  const browser = new Browser()
  const { url } = await almost(at, browser)
  expect(await refusal(browser, url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'))).toEqual([
    400,
    'LOGIN_FAILED',
    NOT_TAKEN('OAUTH_INVALID_RESPONSE'),
    undefined,
  ])
  const denied = url.replace(/code=[^&]+/, 'error=access_denied&error_description=%3Cscript%3E')
  expect(await refusal(browser, denied)).toEqual([400, 'LOGIN_FAILED', NOT_TAKEN('access_denied'), undefined])
  const empty = await refusal(browser, url.replace(/code=[^&]+&/, ''))
  expect(empty.slice(0, 2)).toEqual([400, 'LOGIN_FAILED'])
  expect((await browser.ask(`${url}&hd=example.com&authuser=0`)).status).toBe(302)
})

it('a login leads back to this server alone, however another address is spelt', async () => {
  await using at = await loginServer()
  const outside = [
    'https://evil.example/',
    '//evil.example/',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/ /evil.example',
    'javascript:alert(1)',
    'v1/me',
    '@evil.example',
    '.evil.example',
    '/\r\nSet-Cookie: a=b',
    '',
  ]
  for (const path of outside) {
    const { status, body, headers } = await at.server.call(`GET /login?returnTo=${encodeURIComponent(path)}`, {
      as: '',
    })
    expect([path, status, body?.error.code, headers.get('location')]).toEqual([path, 400, 'BODY_INVALID', null])
  }
  for (const [path, url] of [
    ['/.//evil.example', '//evil.example'],
    ['/v1/me?next=//evil.example#x', '/v1/me?next=//evil.example#x'],
  ] as const) {
    const browser = new Browser()
    const page = await browser.go(`${at.server.url}/login?returnTo=${encodeURIComponent(path)}`)
    const { url: back } = await browser.logIn(page, 'ana', CALLBACK)
    expect((await browser.ask(back)).headers.get('location')).toBe(`${at.server.url}${url}`)
  }
})

it('a session that was changed, made by others, sealed for something else or sent twice is none [API-14]', async () => {
  await using at = await loginServer()
  const { browser } = await at.loggedIn('vera')
  const [name = '', good = ''] = browser.cookie(SESSION) ?? []
  expect(await at.me(`${name}=${good}`)).toBe('vera')
  const parts = good.split('.')
  const flipped = parts.map((_part, place) =>
    parts.map((one, other) =>
      place !== other || one === '' ? one : `${one.startsWith('A') ? 'B' : 'A'}${one.slice(1)}`,
    ),
  )
  await browser.ask(`${at.server.url}/login`)
  const [, login = ''] = browser.cookie(LOGIN) ?? []
  const forged = async (alg: string, header: object, key: Uint8Array): Promise<string> =>
    new EncryptJWT({ sid: 'x', tenant: 'acme', actor: 'ana', roles: ['Admin'] })
      .setProtectedHeader({ alg, enc: 'A256GCM', ...header })
      .setIssuer(at.issuer.url)
      .setAudience(CLIENT)
      .setIssuedAt()
      .setExpirationTime('1h')
      .encrypt(key)
  // The key of the process itself seals no cookies: each purpose has a key of its own.
  const { secret } = await partsOf(at.keelson).keys.current()
  const bad = [
    ...flipped.map((one) => one.join('.')).filter((text) => text !== good),
    login,
    await forged('dir', { kid: 'k1' }, new Uint8Array(32)),
    await forged('dir', { kid: 'k1' }, secret),
    await forged('dir', { kid: 'k7' }, secret),
    await forged('dir', { kid: '../k1' }, secret),
    await forged('dir', {}, secret),
    good.slice(0, -2),
    '',
    'x',
    'a.b.c.d.e',
  ]
  for (const value of bad) expect([value, await at.me(`${name}=${value}`)]).toEqual([value, 'NOT_AUTHENTICATED'])
  expect(await at.me(`${name}=${good}; ${name}=${good}`)).toBe('NOT_AUTHENTICATED')
  expect(await at.me(`x${name}=${good}`)).toBe('NOT_AUTHENTICATED')
  expect(at.server.told).toEqual([])
})

it('a session does not help a request with other credentials, good or bad [API-14]', async () => {
  await using at = await loginServer()
  const { browser } = await at.loggedIn('ana')
  for (const authorization of ['Bearer nonsense', 'Bearer a.b.c', 'Basic YTpi', ''])
    expect([
      authorization,
      (await at.server.call('GET /v1/me', { as: '', headers: { authorization, cookie: browser.cookies() } })).status,
    ]).toEqual([authorization, 401])
})

it('with a session only a page of this server changes anything, and the browser has to say so [API-14]', async () => {
  await using at = await loginServer({ serving: { origins: ['https://panel.example'] } })
  const { browser } = await at.loggedIn('ana')
  const own = at.server.url
  const sibling = own.replace(/:\d+$/, ':1')
  const post = async (line: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const given = line.startsWith('POST /v1') ? { body: { planId: 'none' } } : {}
    const { status, body } = await at.server.call(line, {
      as: '',
      ...given,
      headers: { cookie: browser.cookies(), ...headers },
    })
    return `${status} ${body.error?.code ?? ''}`
  }
  for (const line of ['POST /v1/executions', 'POST /logout'])
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: sibling },
      { origin: 'https://panel.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: own, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ])
      expect([line, headers, await post(line, headers)]).toEqual([line, headers, '403 ORIGIN_REFUSED'])
  expect(await post('POST /v1/executions', { origin: own })).toBe('404 PLAN_NOT_FOUND')
  expect(await post('POST /v1/executions', { 'sec-fetch-site': 'same-origin' })).toBe('404 PLAN_NOT_FOUND')
  const { headers } = await at.server.call('GET /v1/me', {
    as: '',
    headers: { cookie: browser.cookies(), origin: 'https://panel.example' },
  })
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

it('an address that comes back with codes of nobody has to wait, so that it floods no issuer; who logs in does not count [API-14]', async () => {
  let elapsed = 0
  const serving = { limits: { perAddress: 3 }, elapsedMs: () => elapsed, trustProxy: ['127.0.0.1'] }
  await using at = await loginServer({ serving })
  for (let times = 0; times < 5; times += 1) expect((await at.loggedIn('ana')).visit.status).toBe(200)
  const browser = new Browser()
  const { url } = await almost(at, browser)
  const forged = url.replace(/code=[^&]+/, `code=${'x'.repeat(43)}`)
  const came = async (address: string, from?: string): Promise<string> => {
    const headers = from === undefined ? {} : { 'x-forwarded-for': from }
    const response = await browser.ask(address, { headers })
    const { error } = (await response.json()) as { readonly error: { readonly code: string } }
    return `${response.status} ${error.code}`
  }
  for (let times = 0; times < 3; times += 1) expect(await came(forged)).toBe('400 LOGIN_FAILED')
  expect(await came(forged)).toBe('429 RATE_EXCEEDED')
  expect(await came(forged, '203.0.113.9')).toBe('400 LOGIN_FAILED')
  expect((await at.server.call('GET /login/issuer', { as: '' })).status).toBe(200)
  elapsed += 20_000
  expect((await browser.ask(url)).status).toBe(302)
})

it('an account without a tenant, or of a deleted one, gets no session, and one that it has ends with the tenant [AUT-09, AUT-10]', async () => {
  await using at = await loginServer()
  const { store } = partsOf(at.keelson).services
  const { browser: early } = await at.loggedIn('gone')
  expect(await at.me(early.cookies())).toBe('gone')
  await store.putTenant({ tenantId: 'gone', createdAt: 1 })
  await store.deleteTenant('gone', 2)
  expect(await at.me(early.cookies())).toBe('NOT_AUTHENTICATED')
  const told = []
  for (const name of ['nora', 'gone']) {
    const { browser, visit } = await at.loggedIn(name)
    expect(browser.cookie(SESSION)).toBeUndefined()
    const { code, message } = JSON.parse(visit.text).error as { readonly code: string; readonly message: string }
    told.push([visit.status, code, message])
  }
  const same = [400, 'LOGIN_FAILED', 'the issuer knows you, but its token names no person of a tenant of this server']
  expect(told).toEqual([same, same])
})

it('a session that somebody planted before the login is not gone on with, and is over [API-14]', async () => {
  await using at = await loginServer()
  const { browser: attacker } = await at.loggedIn('vera')
  const [name = '', planted = ''] = attacker.cookie(SESSION) ?? []
  const victim = new Browser()
  victim.put(name, planted)
  await at.loggedIn('ana', victim)
  expect(victim.cookie(SESSION)?.[1]).not.toBe(planted)
  expect([await at.me(victim.cookies()), await at.me(`${name}=${planted}`)]).toEqual(['ana', 'NOT_AUTHENTICATED'])
})
