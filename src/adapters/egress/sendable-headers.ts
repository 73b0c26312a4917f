/** The headers as they are sent: the door alone sets those that frame a message, and it never asks for compression. */
import { fail } from '../../core/problems/problem.ts'
import type { OutboundRequest } from '../../ports/egress.ts'

const FRAMING: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
  'expect',
  'accept-encoding',
  'proxy-authorization',
  'proxy-connection',
])

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Above all line ends: they would begin another header. */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/

export function sendableHeaders({ headers, body }: OutboundRequest): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.has(name.toLowerCase())) fail('REQUEST_INVALID', `the header '${name}' cannot be set by a plan`)
    // The value stays out of the message: it may be a credential.
    if (!NAME.test(name) || NOT_IN_A_VALUE.test(value))
      fail('REQUEST_INVALID', `the header '${name.slice(0, 80)}' has a name or a value that cannot be sent`)
  }
  return {
    'user-agent': 'keelson',
    ...headers,
    'accept-encoding': 'identity',
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }
}
