/**
 * What a request must look like before anybody looks at what it asks for. An address has one spelling and a header one value: where two
 * programs on the way could read a request differently, it is refused.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'

export function needForm({ raw }: Pick<FastifyRequest, 'raw'>): void {
  needAddress(raw.url ?? '')
  needSingleHeaders(raw.rawHeaders)
  if (raw.headers.host === undefined) fail('HEADER_INVALID', 'the request has no Host')
  needPlainBody(raw.headers)
}

/** Whatever else a body says that it is, it is read as UTF-8 as it comes: who says otherwise would be misread. */
function needPlainBody({
  'transfer-encoding': transfer = 'chunked',
  'content-encoding': encoding = 'identity',
  'content-type': type = '',
}: IncomingHttpHeaders): void {
  if (transfer.toLowerCase() !== 'chunked') fail('HEADER_INVALID', 'Transfer-Encoding is chunked, or absent')
  if (encoding.toLowerCase() !== 'identity')
    fail('MEDIA_TYPE_UNSUPPORTED', `send the body as it is: Content-Encoding ${encoding.slice(0, 100)} is not read`)
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8'
  if (!UTF8.has(charset.toLowerCase()))
    fail('MEDIA_TYPE_UNSUPPORTED', `send the body as UTF-8: charset ${charset.slice(0, 100)} is not read`)
}

const UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8'])

/** As `encodeURIComponent` writes a part: the rest is a second spelling of something. */
const PART = /^(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-Fa-f]{2})+$/
/** Characters that need no encoding, and those that no name has. */
const NEEDLESS = /%(?:2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE]|[01][0-9a-fA-F]|7[fF])/

function needAddress(target: string): void {
  if (target.length > LIMITS.targetChars)
    fail('URL_TOO_LONG', `the address has more than ${LIMITS.targetChars} characters`)
  const path = target.split('?', 1)[0] ?? ''
  if (path === '/') return
  const [before, ...parts] = path.split('/')
  // Also the forms for proxies: a whole URL, and `*`.
  if (before !== '' || parts.length === 0 || !parts.every(isPart))
    fail('ROUTE_NOT_FOUND', 'there is nothing at an address of this form')
}

function isPart(part: string): boolean {
  return part !== '.' && part !== '..' && PART.test(part) && !NEEDLESS.test(part)
}

/** Read here or by somebody on the way, and meant to have one value. */
const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'last-event-id',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
  'x-correlation-id',
  'x-keelson-act-as',
])

/** The method is that of the request line. */
const OTHER_METHOD: ReadonlySet<string> = new Set(['x-http-method', 'x-http-method-override', 'x-method-override'])

function needSingleHeaders(rawHeaders: readonly string[]): void {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (OTHER_METHOD.has(name)) fail('HEADER_INVALID', `${name} is not taken: send the method itself`)
    if (!ONCE.has(name)) continue
    if (seen.has(name)) fail('HEADER_INVALID', `${name} is given twice`)
    seen.add(name)
  }
}
