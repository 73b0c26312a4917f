/** What a server refuses before anybody looks at what is asked, over real connections. */
import { expect, it } from 'vitest'
import { rawAnswer, rawConnection, rawRequest } from './raw-socket.ts'
import { ANA, served, type Served } from './served.ts'

const BEARER = `Authorization: Bearer ${ANA}`
const CODE = /"code":"([A-Z_]+)"/

/** Status and code. */
async function told(url: string, request: string): Promise<string> {
  const answer = await rawAnswer(url, request)
  return `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'nothing'} ${CODE.exec(answer)?.[1] ?? ''}`.trim()
}

it('an address has one spelling: every other one leads nowhere', async () => {
  await using server = await served()
  const at = (target: string, method = 'GET'): Promise<string> =>
    told(server.url, rawRequest(server.url, `${method} ${target}`, [BEARER]))
  expect(await at('/v1/me')).toBe('200')
  const others = [
    '/v1/me/',
    '//v1/me',
    '/v1//me',
    '/v1/./me',
    '/v1/../v1/me',
    '/v1/%2e%2e/v1/me',
    '/v1/%6De',
    '/v1/me%00',
    '/v1/me;x=1',
    '/V1/me',
    '/v1\\me',
    `${server.url}/v1/me`,
    '*',
    'v1/me',
    '/v1/m%',
    '/v1/executions/%2e%2e',
    '/v1/executions/..',
    '/v1/executions/a%0a',
  ]
  for (const target of others) expect([target, await at(target)]).toEqual([target, expect.stringMatching(/^40[04] /)])
  expect(await at('/v1/executions/pack%5B5%5D')).toBe('404 RUN_NOT_FOUND')
  expect(await at('/v1/executions/a%2Fb')).toBe('404 RUN_NOT_FOUND')
  expect(server.told).toEqual([])
})

it('a long address, long headers and many of them are refused', async () => {
  await using server = await served()
  const get = (target: string, ...headers: string[]): Promise<string> =>
    told(server.url, rawRequest(server.url, `GET ${target}`, [BEARER, ...headers]))
  expect(await get(`/v1/executions/${'a'.repeat(2_048)}`)).toBe('400 BODY_INVALID')
  expect(await get(`/v1/executions/${'a'.repeat(2_049)}`)).toBe('404 ROUTE_NOT_FOUND')
  const room = 8_192 - '/v1/executions?correlationId='.length
  expect(await get(`/v1/executions?correlationId=${'a'.repeat(room)}`)).toBe('400 BODY_INVALID')
  expect(await get(`/v1/executions?correlationId=${'a'.repeat(room + 1)}`)).toBe('414 URL_TOO_LONG')
  expect(await get('/v1/me', `X-Long: ${'a'.repeat(16_384)}`)).toBe('431 HEADERS_TOO_LARGE')
  const answer = await rawAnswer(server.url, rawRequest(server.url, 'GET /', [`X-Long: ${'a'.repeat(16_384)}`]))
  expect(answer).toContain('\r\nconnection: close\r\n')
  expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n')
})

it('headers that two programs could read differently are refused', async () => {
  await using server = await served()
  const { host } = new URL(server.url)
  const get = (...headers: string[]): Promise<string> =>
    told(server.url, rawRequest(server.url, 'GET /v1/me', [BEARER, ...headers]))
  const post = (body: string, ...headers: string[]): Promise<string> =>
    told(server.url, `${rawRequest(server.url, 'POST /v1/executions', [BEARER, ...headers])}${body}`)
  expect(await get()).toBe('200')
  expect(await get(`Host: ${host}`, `Host: ${host}`)).toBe('400 HEADER_INVALID')
  expect(await get(BEARER)).toBe('400 HEADER_INVALID')
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
    expect(await get(`${name}: DELETE`)).toBe('400 HEADER_INVALID')
  const json = 'Content-Type: application/json'
  expect(await post('{}', json, 'Content-Length: 2', 'Content-Length: 3')).toBe('400 HEADER_INVALID')
  expect(await post('{}', json, 'Content-Length: 2', 'Content-Length: 2')).toBe('400 HEADER_INVALID')
  expect(await post('2\r\n{}\r\n0\r\n\r\n', json, 'Content-Length: 2', 'Transfer-Encoding: chunked')).toBe(
    '400 HEADER_INVALID',
  )
  expect(await post('2\r\n{}\r\n0\r\n\r\n', json, 'Transfer-Encoding: chunked, x')).toBe('400 HEADER_INVALID')
  expect(await post('2\r\n{}\r\n0\r\n\r\n', json, 'Transfer-Encoding: chunked')).toBe('400 BODY_INVALID')
  expect(await post('zz\r\n{}\r\n0\r\n\r\n', json, 'Transfer-Encoding: chunked')).toBe('400 HEADER_INVALID')
  expect(await post('{}', 'Content-Type: text/plain', 'Content-Length: 2')).toBe('415 MEDIA_TYPE_UNSUPPORTED')
  expect(server.told).toEqual([])
})

it('other methods are told which there are, and other hosts nothing [API-15]', async () => {
  await using server = await served({}, { hosts: ['keelson.internal'] })
  const asked = (line: string, ...headers: string[]): Promise<string> =>
    rawAnswer(server.url, rawRequest(server.url, line, [BEARER, ...headers]))
  for (const method of ['PATCH', 'HEAD', 'OPTIONS', 'TRACE']) {
    const answer = await asked(`${method} /v1/me`)
    expect(answer).toMatch(/^HTTP\/1\.1 (405|404) /)
  }
  const other = await asked('PUT /v1/me')
  expect(other).toMatch(/\r\nallow: GET\r\n/)
  expect(CODE.exec(other)?.[1]).toBe('METHOD_NOT_ALLOWED')
  expect(await asked('GET /v1/me', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 421 [\s\S]*"HOST_REFUSED"/)
  expect(await asked('GET /nothing', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 421 /)
  expect(await asked('GET /v1/me', 'Host: Keelson.Internal')).toMatch(/^HTTP\/1\.1 200 /)
})

const SAFE = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

it('every answer has the headers that keep browsers safe, and none allows other origins [API-15]', async () => {
  await using server = await served()
  for (const line of [
    'GET /healthz',
    'GET /v1/me',
    'GET /nothing',
    'GET /v1/executions/x',
    'PUT /v1/me',
    'GET /v1/%zz',
  ]) {
    const { headers } = await server.call(line, { headers: { origin: 'https://other.example' } })
    expect([line, Object.fromEntries(headers)]).toEqual([line, expect.objectContaining(SAFE)])
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

const preflight = (server: Served, origin: string): ReturnType<Served['call']> =>
  server.call('OPTIONS /v1/executions', { as: '', headers: { origin, 'access-control-request-method': 'POST' } })

it('pages of other origins change nothing, unless their origin is named', async () => {
  await using server = await served({}, { origins: ['https://panel.example'] })
  const start = (headers: Readonly<Record<string, string>>): ReturnType<Served['call']> =>
    server.call('POST /v1/executions', { body: {}, headers })
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect((await start(headers)).body.error.code).toBe('ORIGIN_REFUSED')
  expect((await start({ origin: server.url, 'sec-fetch-site': 'same-origin' })).body.error.code).toBe('BODY_INVALID')
  const named = await start({ origin: 'https://panel.example', 'sec-fetch-site': 'cross-site' })
  expect(named.body.error.code).toBe('BODY_INVALID')
  expect(named.headers.get('access-control-allow-origin')).toBe('https://panel.example')
  expect(named.headers.get('access-control-allow-credentials')).toBeNull()
  expect(named.headers.get('vary')).toBe('Origin')
  const asked = await preflight(server, 'https://panel.example')
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
  const refused = await preflight(server, 'https://evil.example')
  expect(refused.body.error.code).toBe('ORIGIN_REFUSED')
  expect(refused.headers.get('access-control-allow-origin')).toBeNull()
})

it('who asks too often waits as long as it is told, and others do not [API-14]', async () => {
  let elapsed = 0
  await using server = await served({}, { limits: { perPrincipal: 3, perTenant: 5 }, elapsedMs: () => elapsed })
  const ask = (as: string): ReturnType<Served['call']> => server.call('GET /v1/me', { as })
  for (let times = 0; times < 3; times++) expect((await ask('acme.ana.Admin')).status).toBe(200)
  const refused = await ask('acme.ana.Admin')
  expect(refused.status).toBe(429)
  expect(refused.body.error).toMatchObject({ code: 'RATE_EXCEEDED', message: 'ana may ask 3 times a minute' })
  expect(refused.headers.get('retry-after')).toBe('20')
  for (let times = 0; times < 2; times++) expect((await ask('acme.bob.Admin')).status).toBe(200)
  const tenant = await ask('acme.bob.Admin')
  expect(tenant.body.error).toMatchObject({ code: 'RATE_EXCEEDED', message: 'the tenant may ask 5 times a minute' })
  expect(tenant.headers.get('retry-after')).toBe('12')
  expect((await ask('evil.eve.Admin')).status).toBe(200)
  elapsed += 19_999
  expect((await ask('acme.ana.Admin')).status).toBe(429)
  elapsed += 1
  expect((await ask('acme.ana.Admin')).status).toBe(200)
  expect((await server.call('GET /healthz', { as: '' })).status).toBe(200)
})

it('a server whose memory is used up refuses work and says that it is alive', async () => {
  await using server = await served({}, { limits: { busyHeapPercent: 0 } })
  const { status, headers, body } = await server.call('GET /v1/me')
  expect({ status, code: body.error.code, retry: headers.get('retry-after') }).toEqual({
    status: 503,
    code: 'SERVER_BUSY',
    retry: '5',
  })
  expect((await server.call('GET /healthz', { as: '' })).status).toBe(200)
})

it('a server that is behind with its work refuses more until it has caught up', async () => {
  await using server = await served({}, { limits: { busyLoopMs: 300 } })
  const status = async (): Promise<number> => (await server.call('GET /v1/me')).status
  const until = async (wanted: number): Promise<void> => {
    for (let times = 0; times < 5_000; times++) if ((await status()) === wanted) return
    throw new Error(`never ${wanted}`)
  }
  for (let times = 0; times < 4; times++) {
    const end = performance.now() + 700
    while (performance.now() < end);
    await new Promise<void>((resolve) => void setTimeout(resolve, 1))
  }
  await until(503)
  await until(200)
})

it('slow headers, slow bodies and silence are answered and closed [API-14]', async () => {
  const limits = { headersMs: 200, requestMs: 300, slowLookMs: 50 }
  await using server = await served({}, { limits })
  const { host } = new URL(server.url)
  const slow = [
    '',
    'GET /v1/me HTTP/1.1\r\nHos',
    `GET /v1/me HTTP/1.1\r\nHost: ${host}\r\n${BEARER}\r\n`,
    `POST /v1/executions HTTP/1.1\r\nHost: ${host}\r\n${BEARER}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
  ]
  for (const start of slow) {
    const raw = rawConnection(server.url)
    if (start !== '') raw.send(start)
    const text = await raw.closed
    if (start !== '')
      expect([start, text]).toEqual([start, expect.stringMatching(/^HTTP\/1\.1 408 [\s\S]*REQUEST_TOO_SLOW/)])
  }
  expect((await server.call('GET /v1/me')).status).toBe(200)
})

it('takes so many connections and no more, and forgets those that are gone', async () => {
  await using server = await served({}, { limits: { connections: 3 } })
  const open = (): ReturnType<typeof rawConnection> => rawConnection(server.url)
  const first = [open(), open(), open()]
  const request = rawRequest(server.url, 'GET /healthz').replace('Connection: close\r\n', '')
  for (const raw of first) {
    raw.send(request)
    await new Promise<void>((resolve) => void raw.socket.once('data', () => resolve()))
  }
  expect(await open().closed).toBe('')
  for (const raw of first) raw.socket.destroy()
  await Promise.all(first.map(({ closed }) => closed))
  let answer = ''
  for (let times = 0; times < 200 && answer === ''; times++)
    answer = await rawAnswer(server.url, rawRequest(server.url, 'GET /healthz'))
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})
