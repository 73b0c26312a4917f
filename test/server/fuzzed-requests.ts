/** Requests at random for a route: ones that it takes, and the same with something spoilt: types, bounds, texts, nesting, keys, headers. */
import { pathNames, type Contract } from '../../src/core/api/contract.ts'
import type { RandomSource } from '../fuzz/random-source.ts'
import { sampleOf, sampleRequest, type Names, type SchemaLike } from './sample-requests.ts'

export interface FuzzedRequest {
  readonly method: string
  /** As it is sent, with its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

const TEXTS = [
  '',
  ' ',
  '..',
  '.',
  '/',
  '\\',
  'pack[5]',
  'COMP:pay',
  'FALLBACK:pay[3]',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '1e400',
  '9007199254740993',
  '0x10',
  '\u0000',
  'a\u0000b',
  '\r\nX-Smuggled: 1',
  '💥'.repeat(40),
  'é'.repeat(300),
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(1_500),
  '\u202e\u200b\ufeff',
  "' OR 1=1 --",
  '${input.x}',
  '{{7*7}}',
  '2026-02-30T25:61:61Z',
  '99999999999999d',
] as const

const NUMBERS = [0, -0, -1, 1, 1.5, 1e21, 1e308, 2 ** 53, -(2 ** 53), 2 ** 31, 0.1, 1_000, 1_001] as const

/** Put into JSON as they are. */
const RAW = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '1'.repeat(400),
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"a":1,"a":2}',
  '"\\ud800"',
  '"\\u0000"',
  'nul',
  '01',
  '"\t"',
] as const

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'idempotency-key': ['', 'a_b', 'x'.repeat(256), 'fuzz-1', 'fuzz-1', 'ключ'.slice(0, 0), '*'],
  'if-none-match': ['*', '"', 'W/"0000000000000000"', '"a", "b", "c"', ','.repeat(500)],
  'last-event-id': ['-1', '1e9', 'x', '9007199254740993'],
  prefer: ['wait=0', 'wait=-1', 'wait', 'respond-async', 'wait=x'],
  'x-correlation-id': ['', 'x'.repeat(300), 'ok-1', 'a b', '"'],
  accept: ['application/problem+json', '*/*', 'text/html', ''],
  'content-type': [
    'text/plain',
    'application/json; charset=utf-8',
    'application/xml',
    'application/JSON',
    '',
    'multipart/form-data',
  ],
  'content-encoding': ['gzip', 'br', 'identity'],
  'x-http-method-override': ['DELETE', 'PUT'],
  origin: ['http://evil.example', 'null'],
  'sec-fetch-site': ['cross-site', 'same-origin'],
  host: ['evil.example', ''],
  authorization: ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a.b', 'Bearer acme.ana.viewer'],
  expect: ['100-continue'],
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'] as const

export function fuzzedRequest(contract: Contract, names: Names, bearer: string, random: RandomSource): FuzzedRequest {
  const spoilt = random.below(10) < 3 ? 0 : 1 + random.below(3)
  const where = new Set(
    Array.from({ length: spoilt }, () => random.pick(['path', 'query', 'body', 'header', 'method'])),
  )
  const sample = sampleRequest(contract, names)
  const method = where.has('method') ? random.pick(METHODS) : sample.method
  const headers: Record<string, string> = { authorization: `Bearer ${bearer}` }
  const body = contract.body === undefined ? undefined : bodyOf(contract, sample.body ?? {}, where.has('body'), random)
  if (body !== undefined) {
    headers['content-type'] = 'application/json'
    // With methods that usually have no body, Node would send it without a length: as the beginning of another request.
    headers['content-length'] = String(body.length)
  }
  if (where.has('header')) {
    const name = pickOf(Object.keys(HEADERS), random)
    headers[name] = pickOf(HEADERS[name] ?? [''], random)
  }
  const path = where.has('path') ? spoiltPath(contract, names, random) : sample.path
  const target = `${path}${queryOf(contract, sample.query, where.has('query'), random)}`
  return { method, target, headers, ...(body === undefined ? {} : { body }) }
}

function pickOf<T>(values: readonly T[], random: RandomSource): T {
  return values[random.below(values.length)] as T
}

function spoiltPath(contract: Contract, names: Names, random: RandomSource): string {
  const text = pathNames(contract).reduce((left, name) => {
    const value = random.below(2) === 0 ? pickOf(TEXTS, random) : (names[name] ?? '')
    return left.replace(`{${name}}`, () => encodeURIComponent(value))
  }, contract.path as string)
  return random.pick([
    text,
    `${text}/`,
    `/${text}`,
    text.replace('/v1', '/V1'),
    `${text}%`,
    `${text}%zz`,
    `${text}%00`,
    `${text};a=b`,
  ])
}

function queryOf(
  contract: Contract,
  given: Readonly<Record<string, string>>,
  spoil: boolean,
  random: RandomSource,
): string {
  const { properties = {} } = (contract.query?.schema ?? {}) as SchemaLike
  const pairs: [string, string][] = Object.entries(given)
  for (const [name, schema] of Object.entries(properties))
    // A run that waits for a person would be waited for.
    if (name !== 'mode' && random.below(4) === 0) pairs.push([name, String(sampleOf(schema))])
  if (spoil) {
    const name = random.pick([
      ...(Object.keys(properties) as [string]),
      '__proto__',
      'constructor',
      'x',
      '',
      'tenantId',
    ])
    pairs.push([name, random.below(2) === 0 ? pickOf(TEXTS, random) : String(pickOf(NUMBERS, random))])
  }
  const kept = pairs.filter(([name, value]) => name !== 'mode' || value !== 'sync')
  return kept.length === 0 ? '' : `?${kept.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`
}

function bodyOf(contract: Contract, sample: object, spoil: boolean, random: RandomSource): Buffer {
  const { properties = {} } = (contract.body?.schema ?? {}) as SchemaLike
  const full = random.below(3) === 0 ? withMore(sample, properties, random) : sample
  if (!spoil) return Buffer.from(JSON.stringify(full))
  const text = JSON.stringify(spoiltValue(full, properties, random)).replaceAll('"@raw@"', () => pickOf(RAW, random))
  return random.pick([
    Buffer.from(text),
    Buffer.from(text),
    Buffer.from(text),
    Buffer.from(text.slice(0, random.below(text.length))),
    Buffer.from(`\ufeff${text}`),
    Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xff])]),
    Buffer.from(pickOf(RAW, random)),
    Buffer.from(`[${text}]`),
  ])
}

function withMore(sample: object, properties: Readonly<Record<string, SchemaLike>>, random: RandomSource): object {
  const more = Object.entries(properties).filter(([name]) => !Object.hasOwn(sample, name) && random.below(3) === 0)
  return { ...sample, ...Object.fromEntries(more.map(([name, schema]) => [name, sampleOf(schema)])) }
}

function spoiltValue(sample: object, properties: Readonly<Record<string, SchemaLike>>, random: RandomSource): object {
  const name = random.pick([...(Object.keys(properties) as [string]), 'tenantId', 'constructor', '', 'x'])
  const value = random.pick<() => unknown>([
    () => pickOf(TEXTS, random),
    () => pickOf(NUMBERS, random),
    () => null,
    () => [],
    () => ({}),
    () => true,
    () => '@raw@',
    () => '@raw@',
    () => 'x'.repeat(100_000),
  ])()
  return { ...sample, [name]: value }
}
