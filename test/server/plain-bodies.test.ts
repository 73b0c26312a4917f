/** What stands around a body: how it is packed, where it ends, for whom it is, and that who sends too much of it can still read why it was refused. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { until } from '../fixtures/until.ts'
import { rawAnswer, rawConnection, rawRequest } from './raw-socket.ts'
import { ANA, served } from './served.ts'

const BEARER = `Authorization: Bearer ${ANA}`
const JSON_BODY = 'Content-Type: application/json'
const CODE = /"code":"([A-Z_]+)"/

const told = (answer: string): string =>
  `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'nothing'} ${CODE.exec(answer)?.[1] ?? ''}`.trim()

it.each([
  ['its length', [`Content-Length: ${LIMITS.asyncBodyBytes + 1}`], (text: string) => text, ''],
  [
    'chunks',
    ['Transfer-Encoding: chunked'],
    (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`,
    '0\r\n\r\n',
  ],
])(
  'a body that is too large by %s is refused and taken to its end: nobody finds the connection broken [API-01]',
  async (_by, headers, piece, end) => {
    await using server = await served()
    const raw = rawConnection(server.url)
    const { host } = new URL(server.url)
    const lines = ['POST /v1/executions HTTP/1.1', `Host: ${host}`, BEARER, JSON_BODY, ...headers, '', '']
    raw.send(lines.join('\r\n'))
    const [first, rest] = [LIMITS.asyncBodyBytes / 2, LIMITS.asyncBodyBytes / 2 + 1]
    raw.send(piece('x'.repeat(first)))
    // By its length it is refused before it has come, in chunks as soon as there is too much.
    if (end === '') await until(() => raw.text().includes('PAYLOAD_TOO_LARGE'))
    raw.send(`${piece('x'.repeat(rest))}${end}`)
    raw.send(rawRequest(server.url, 'GET /healthz'))
    const answers = (await raw.closed).split(/(?=HTTP\/1\.1 )/)
    expect(answers.map((one) => told(one))).toEqual(['413 PAYLOAD_TOO_LARGE', '200'])
    expect(answers[0]).toContain(`at most ${LIMITS.asyncBodyBytes} are allowed (mode async)`)
    expect(server.told).toEqual([])
  },
)

it('the rest of a refused body is waited for no longer than a request may take', async () => {
  await using server = await served({}, { limits: { headersMs: 200, requestMs: 200, slowLookMs: 20 } })
  const raw = rawConnection(server.url)
  const { host } = new URL(server.url)
  const length = `Content-Length: ${LIMITS.asyncBodyBytes + 1}`
  raw.send(['POST /v1/executions HTTP/1.1', `Host: ${host}`, BEARER, JSON_BODY, length, '', 'x'].join('\r\n'))
  expect(told(await raw.closed)).toBe('413 PAYLOAD_TOO_LARGE')
  expect(server.told).toEqual([])
})

it('a body is UTF-8 and packed in nothing: what says otherwise would be misread [API-03]', async () => {
  await using server = await served()
  const post = async (...headers: string[]): Promise<string> =>
    told(await rawAnswer(server.url, `${rawRequest(server.url, 'POST /v1/executions', [BEARER, ...headers])}{}`))
  const length = 'Content-Length: 2'
  for (const type of ['application/json; charset=latin1', 'application/json;charset="utf-16"'])
    expect([type, await post(`Content-Type: ${type}`, length)]).toEqual([type, '415 MEDIA_TYPE_UNSUPPORTED'])
  for (const encoding of ['gzip', 'br', 'gzip, identity'])
    expect([encoding, await post(JSON_BODY, length, `Content-Encoding: ${encoding}`)]).toEqual([
      encoding,
      '415 MEDIA_TYPE_UNSUPPORTED',
    ])
  expect(await post(JSON_BODY, length, 'Content-Encoding: identity', 'Content-Encoding: gzip')).toBe(
    '400 HEADER_INVALID',
  )
  expect(await post(JSON_BODY, 'Transfer-Encoding: gzip, chunked')).toBe('400 HEADER_INVALID')
  for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf8"'])
    expect([type, await post(`Content-Type: ${type}`, length)]).toEqual([type, '400 BODY_INVALID'])
  expect(await post(JSON_BODY, length, 'Content-Encoding: identity')).toBe('400 BODY_INVALID')
})

it('a Host is one name with or without a port, and there is one [API-15]', async () => {
  await using server = await served()
  const { host, hostname, port } = new URL(server.url)
  const get = async (...headers: string[]): Promise<string> =>
    told(await rawAnswer(server.url, rawRequest(server.url, 'GET /v1/me', [BEARER, ...headers])))
  for (const own of [host, hostname, `LOCALHOST:${port}`, `[::1]:${port}`])
    expect([own, await get(`Host: ${own}`)]).toEqual([own, '200'])
  const others = [
    `${host}, evil.example`,
    `${host}:1`,
    `${hostname}:`,
    `${hostname}:abc`,
    `${hostname}:evil.example`,
    '[::1]evil.example',
    '',
  ]
  for (const other of others) expect([other, await get(`Host: ${other}`)]).toEqual([other, '421 HOST_REFUSED'])
  for (const version of ['1.0', '1.1'])
    expect(
      told(await rawAnswer(server.url, `GET /v1/me HTTP/${version}\r\n${BEARER}\r\nConnection: close\r\n\r\n`)),
    ).toBe('400 HEADER_INVALID')
})
