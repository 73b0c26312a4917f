/**
 * Turns the text of a URL into a target with the URL standard's own parser: odd spellings of addresses (decimal, octal,
 * hex, short, full-width digits, percent signs) are normalised before they are checked. Nothing is looked up.
 */
import { judgeTarget, type EgressPolicy, type Target } from '../../core/egress/policy.ts'
import { fail } from '../../core/problems/problem.ts'

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

export interface Destination {
  readonly url: URL
  readonly target: Target
}

/** Throws EGRESS_REFUSED for a target that may not be reached, and REQUEST_INVALID for text that is not a URL. */
export function readUrl(policies: readonly EgressPolicy[], text: string, base?: URL): Destination {
  if (!URL.canParse(text, base?.href)) fail('REQUEST_INVALID', `'${shown(text)}' is not a URL`)
  const url = new URL(text, base)
  if (url.username !== '' || url.password !== '')
    fail('EGRESS_REFUSED', `a URL may not carry a user or a password (${url.host})`)
  url.hash = ''
  const target: Target = {
    scheme: url.protocol.slice(0, -1),
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (PORTS[url.protocol] ?? 0) : Number(url.port),
  }
  for (const policy of policies) {
    const reason = judgeTarget(policy, target)
    if (reason !== undefined) refuse(url, reason)
  }
  return { url, target }
}

export function refuse({ hostname }: URL, reason: string): never {
  const hint = hostname === '' ? {} : { hint: `if it is meant, allow it by name: ${hostname}` }
  return fail('EGRESS_REFUSED', reason, hint)
}

/** A URL that could not be parsed may hold a password anywhere: only its beginning is shown. */
function shown(text: string): string {
  return text.split(/[@?#]/)[0]?.slice(0, 80) ?? ''
}
