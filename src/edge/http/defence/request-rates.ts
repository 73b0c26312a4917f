/**
 * How often one principal, and one tenant, may ask: a bucket for each that fills evenly over the minute. The local user is alone on its
 * machine and is not counted. Who signs, or comes back from the issuer, instead of saying who they are is counted by address until that is known to be genuine.
 */
import type { Caller } from '../../../app/identity/caller.ts'
import { BoundedCache } from '../../../app/schemas/bounded-cache.ts'
import { fail } from '../../../core/problems/problem.ts'

export interface RateLimits {
  /** Per minute; 0: no limit. */
  readonly perPrincipal: number
  readonly perTenant: number
  readonly perAddress: number
}

/** Counted apart: failed logins of an address do not keep its deliveries waiting. */
type Unknown = 'deliveries' | 'logins'

interface Bucket {
  left: number
  at: number
}

const MINUTE_MS = 60_000
const BUCKETS_KEPT = 10_000

export class RequestRates {
  readonly #limits: RateLimits
  readonly #elapsedMs: () => number
  readonly #principals = new BoundedCache<string, Bucket>(BUCKETS_KEPT)
  readonly #tenants = new BoundedCache<string, Bucket>(BUCKETS_KEPT)
  readonly #addresses = new BoundedCache<string, Bucket>(BUCKETS_KEPT)

  constructor(limits: RateLimits, elapsedMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#elapsedMs = elapsedMs
  }

  /** A refused request is not counted for anybody. */
  take({ tenantId, actorId, kind }: Caller): void {
    if (kind === 'local') return
    const { perPrincipal, perTenant } = this.#limits
    const now = this.#elapsedMs()
    const own = filled(this.#principals, JSON.stringify([tenantId, kind, actorId]), perPrincipal, now)
    const all = filled(this.#tenants, tenantId, perTenant, now)
    need(own, perPrincipal, `${actorId} may ask ${perPrincipal} times a minute`)
    need(all, perTenant, `the tenant may ask ${perTenant} times a minute`)
    own.left -= 1
    all.left -= 1
  }

  /** Before anything of its body is taken. What is given back is called when the signature fits: the request does not count then. */
  takeUnknown(address: string, what: Unknown): () => void {
    const { perAddress } = this.#limits
    const bucket = filled(this.#addresses, `${what} ${networkOf(address)}`, perAddress, this.#elapsedMs())
    need(bucket, perAddress, `one address may send ${perAddress} ${what} a minute that nobody vouches for`)
    bucket.left -= 1
    return () => void (bucket.left += 1)
  }
}

const GROUPS = 8
/** Of an address of version 6 one subscriber has the last 64 bits to choose from. */
const OF_NETWORK = 4

function networkOf(address: string): string {
  const [before = '', after] = address.split('::', 2)
  if (!address.includes(':') || address.includes('.')) return address
  const [first, last] = [before, after ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const gap = after === undefined ? 0 : GROUPS - (first?.length ?? 0) - (last?.length ?? 0)
  return [...(first ?? []), ...Array.from({ length: gap }, () => '0'), ...(last ?? [])].slice(0, OF_NETWORK).join(':')
}

function filled(buckets: BoundedCache<string, Bucket>, key: string, limit: number, now: number): Bucket {
  const known = buckets.get(key)
  if (known === undefined) {
    const made = { left: limit, at: now }
    buckets.set(key, made)
    return made
  }
  known.left = Math.min(limit, known.left + ((now - known.at) * limit) / MINUTE_MS)
  known.at = now
  return known
}

function need({ left }: Bucket, limit: number, message: string): void {
  if (limit === 0 || left >= 1) return
  const retryAfterSeconds = Math.ceil(((1 - left) * MINUTE_MS) / limit / 1_000)
  fail('RATE_EXCEEDED', message, { details: { retryAfterSeconds } })
}
