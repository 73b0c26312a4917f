/** The headers as they go out: what frames a message is the door's own business, and no answer is asked for compressed. */
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
/** Line ends above all: they would begin another header. */
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
