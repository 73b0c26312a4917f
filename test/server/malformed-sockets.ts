/**
 * What no proper client sends: bytes for a socket, case by case. Hidden inside many is a second request, which carries a mark in its
 * `X-Correlation-ID`; whoever takes it for a request answers with the mark.
 */
import type { RandomSource } from '../fuzz/random-source.ts'

/** In the hidden request alone. */
export const MARK = 'smuggled-7f3a'

export interface SocketCase {
  readonly name: string
  readonly bytes: Buffer
  /** The client ends its side (it sends no more), goes away at once, or sends byte by byte and waits for its answers. */
  readonly afterwards: 'end' | 'leave' | 'slowly'
  /** Answers with 200 that must come; otherwise whatever comes. */
  readonly served?: number
}

const HOST = 'Host: 127.0.0.1'
const HIDDEN = `GET /healthz HTTP/1.1\r\n${HOST}\r\nX-Correlation-ID: ${MARK}\r\n\r\n`

type Make = (random: RandomSource) => Omit<SocketCase, 'name'>

/** A start of a run whose body and framing are given. */
function post(headers: readonly string[], body: string): Omit<SocketCase, 'name'> {
  const head = ['POST /v1/executions HTTP/1.1', HOST, 'Content-Type: application/json', ...headers]
  return { bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), afterwards: 'end' }
}

function get(headers: readonly string[], path = '/healthz', host = [HOST]): Omit<SocketCase, 'name'> {
  return {
    bytes: Buffer.from(`${[`GET ${path} HTTP/1.1`, ...host, ...headers].join('\r\n')}\r\n\r\n`),
    afterwards: 'end',
  }
}

const LENGTHS = ['-1', '+5', '0x5', '5, 5', '5 5', '1e1', '99999999999999999999999', '', 'abc', '0\t1'] as const
const CODINGS = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity, chunked, identity',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding:\u000bchunked',
  'X: y\nTransfer-Encoding: chunked',
] as const
const CHUNKS = [
  `zz\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  `-2\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  `FFFFFFFFFFFFFFFFF\r\n{}\r\n`,
  `2{}\r\n0\r\n\r\n${HIDDEN}`,
  `2\r\n{}XX0\r\n\r\n${HIDDEN}`,
  `2\n{}\n0\n\n${HIDDEN}`,
  `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  `0x2\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  `2 \r\n{}\r\n0 \r\n\r\n${HIDDEN}`,
  `2\r\n{}`,
  `2\r\n{}\r\n0\r\nX: y`,
] as const

const CASES: Readonly<Record<string, Make>> = {
  'length and chunks, the length first': () =>
    post([`Content-Length: 4`, 'Transfer-Encoding: chunked'], `0\r\n\r\n${HIDDEN}`),
  'length and chunks, the chunks first': () =>
    post(['Transfer-Encoding: chunked', `Content-Length: ${5 + HIDDEN.length}`], `0\r\n\r\n${HIDDEN}`),
  'two lengths': () => post(['Content-Length: 2', `Content-Length: ${2 + HIDDEN.length}`], `{}${HIDDEN}`),
  'a length that is none': (random) => post([`Content-Length: ${random.pick(LENGTHS)}`], `{}${HIDDEN}`),
  'a strange coding': (random) => post([random.pick(CODINGS)], `0\r\n\r\n${HIDDEN}`),
  'a strange coding and a length': (random) =>
    post([random.pick(CODINGS), `Content-Length: ${5 + HIDDEN.length}`], `0\r\n\r\n${HIDDEN}`),
  'a bad chunk': (random) => post(['Transfer-Encoding: chunked'], random.pick(CHUNKS)),
  'a GET with a body that is a request': () => {
    const { bytes } = get([`Content-Length: ${HIDDEN.length}`])
    return { bytes: Buffer.concat([bytes, Buffer.from(HIDDEN)]), afterwards: 'end' }
  },
  'a refused request whose body is a request': () => post([`Content-Length: ${HIDDEN.length}`], HIDDEN),
  'huge headers': (random) => get([`X-Large: ${'x'.repeat(16_384 + random.below(60_000))}`]),
  'very many headers': (random) => get(Array.from({ length: 2_100 + random.below(3_000) }, (_, i) => `X-${i}: ${i}`)),
  'a huge address': (random) => get([], `/healthz?${'x'.repeat(2_048 + random.below(30_000))}`),
  'a header that is none': (random) =>
    get([random.pick(['no colon', ': no name', 'X\u0000Y: z', 'X: a\u0000b', 'X: a\rb', ' folded: line', 'X-Ü: 1'])]),
  'bare line feeds': () => ({ bytes: Buffer.from(`GET /healthz HTTP/1.1\n${HOST}\n\n${HIDDEN}`), afterwards: 'leave' }),
  'no host': () => get([], '/healthz', []),
  'two hosts': () => get([], '/healthz', [HOST, 'Host: evil.example']),
  'the host of another': () => get([], '/healthz', ['Host: evil.example']),
  'an address of another': () => get([], 'http://evil.example/healthz'),
  'half a body, and no more': (random) => post([`Content-Length: ${50 + random.below(5_000)}`], '{"planId":'),
  'half a head, and no more': () => ({
    bytes: Buffer.from(`GET /healthz HTTP/1.1\r\n${HOST}\r\nX: `),
    afterwards: 'end',
  }),
  'half a head, and gone': () => ({ bytes: Buffer.from('GET /heal'), afterwards: 'leave' }),
  'a request, and gone': () => ({ ...get([]), afterwards: 'leave' }),
  'half a body, and gone': () => ({ ...post(['Content-Length: 5000'], '{"planId":'), afterwards: 'leave' }),
  'nothing at all': () => ({ bytes: Buffer.alloc(0), afterwards: 'end' }),
  'no HTTP': (random) => ({
    bytes: random.pick([
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      Buffer.from('\u0000'.repeat(2_000)),
      Buffer.from('GET /healthz\r\n\r\n'),
      Buffer.from(`get /healthz HTTP/1.1\r\n${HOST}\r\n\r\n`),
      Buffer.from(`GET /healthz HTTP/9.9\r\n${HOST}\r\n\r\n`),
      Buffer.from(`GET  /healthz HTTP/1.1\r\n${HOST}\r\n\r\n`),
      Buffer.from('SSH-2.0-OpenSSH_9.0\r\n'),
    ]),
    afterwards: 'end',
  }),
  'a tunnel': () => ({
    bytes: Buffer.from(`CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n\r\n${HIDDEN}`),
    afterwards: 'end',
  }),
  'an upgrade': (random) =>
    get(['Connection: Upgrade', `Upgrade: ${random.pick(['h2c', 'websocket', 'x'])}`, 'Sec-WebSocket-Key: AAAA']),
  'several requests at once': (random) => {
    const count = 2 + random.below(6)
    const { bytes } = get([])
    return { bytes: Buffer.concat(Array.from({ length: count }, () => bytes)), afterwards: 'slowly', served: count }
  },
  'byte by byte': () => ({ ...get(['X-Slow: 1']), afterwards: 'slowly', served: 1 }),
}

/** The cases in turn, so that each is met; inside each, at random. */
export function socketCase(at: number, random: RandomSource): SocketCase {
  const names = Object.keys(CASES)
  const name = names[at % names.length] ?? ''
  const make = CASES[name]
  if (make === undefined) throw new Error(`there is no case ${name}`)
  return { name, ...make(random) }
}
