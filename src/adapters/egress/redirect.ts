/** The next request after a redirect, and what must not be taken over from the last one. */
import type { OutboundRequest } from '../../ports/egress.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const OF_A_BODY = ['content-type', 'content-language', 'content-location', 'content-encoding']
/** Any other header, whatever its name, may be a credential for the host it was meant for. */
const FOR_ANY_HOST: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'content-language',
  'idempotency-key',
  'user-agent',
])

export function redirectTo(status: number, headers: Readonly<Record<string, string>>): string | undefined {
  return REDIRECTS.has(status) ? headers['location'] : undefined
}

export function redirected(request: OutboundRequest, status: number, from: URL, to: URL): OutboundRequest {
  const asGet =
    (status === 303 && request.method !== 'HEAD') || ((status === 301 || status === 302) && request.method === 'POST')
  const { body, headers, ...rest } = request
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase()
    if (asGet && OF_A_BODY.includes(lower)) return false
    return from.origin === to.origin || FOR_ANY_HOST.has(lower)
  })
  return {
    ...rest,
    url: to.href,
    headers: Object.fromEntries(kept),
    ...(asGet ? { method: 'GET' } : body === undefined ? {} : { body }),
  }
}
