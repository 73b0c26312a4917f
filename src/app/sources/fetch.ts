/**
 * The plan behind a reference: its bytes are fetched from an allowed place and compared with their hash before anything of them
 * is unpacked or read; then they are read or imported, and compiled (PLN-05, PLN-12, X-41, X-108). A worker that runs the plan
 * checks the compiled one once more.
 */
import { LIMITS } from '../../core/limits.ts'
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { hashOfUri } from '../../core/plan/format/plan-uri.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap, type Result } from '../../core/result.ts'
import { isoFromMs, msFromIso } from '../../core/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PlanTransport } from '../../ports/plan-transport.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { CompiledPlan } from '../plans/compile.ts'
import { madeOf } from '../plans/plan-source.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import type { ReadSource } from './read-source.ts'

const PLANS_KEPT = 64
/** Named by the contract, and not read by this version. */
const LATER = new Set(['https', 's3', 'gs', 'azure'])

/** Unpacks and reads bytes whose hash was checked. Their author may be untrusted: it happens in a thread that can be ended. */
export type ReadBytes = (bytes: Uint8Array, packed: 'gzip' | 'none') => Promise<Result<ReadSource>>

/** A source with its size as it was fetched. */
type Fetched = ReadSource & { readonly sizeBytes: number }

export class PlanFetcher {
  readonly #transports: readonly PlanTransport[]
  readonly #clock: Clock
  readonly #read: ReadBytes
  /** By hash and tenant; only plans of the store, whose bytes never change. */
  readonly #stored = new BoundedCache<string, Fetched>(PLANS_KEPT)

  constructor(transports: readonly PlanTransport[], clock: Clock, read: ReadBytes) {
    this.#transports = transports
    this.#clock = clock
    this.#read = read
  }

  /** A plan of another tenant counts as missing. */
  async fetch(tenantId: string, ref: PlanRef): Promise<CompiledPlan> {
    const transport = this.#transportOf(ref.uri)
    const hash = hashOfUri(ref.uri)
    if (hash !== undefined && hash !== ref.sha256) invalid('uri', `'uri' leads to another hash than 'sha256' says`)
    const expiry = msFromIso(ref.expiresAt ?? '')
    if (expiry !== undefined && expiry <= this.#clock.now())
      invalid('expiresAt', `the reference expired at ${isoFromMs(expiry)}`)
    const found = hash === undefined ? undefined : this.#stored.get(hash + tenantId)
    const fetched = found ?? (await this.#fetch(transport, tenantId, ref))
    checkAgainst(ref, fetched)
    if (hash === undefined) return fetched.compiled
    // A reader of the stored bytes must get the plan that was checked, with every default filled in.
    if (fetched.compiled.source !== undefined) invalid('sha256', 'the stored plan is not in its canonical form')
    this.#stored.set(hash + tenantId, fetched)
    return fetched.compiled
  }

  #transportOf(uri: string): PlanTransport {
    const scheme = /^([a-z][a-z0-9+.-]*):/.exec(uri)?.[1] ?? ''
    const found = this.#transports.find((one) => one.scheme === scheme)
    if (found !== undefined) return found
    const why = LATER.has(scheme) ? `: plans are not fetched by ${scheme} yet` : ''
    return fail('PLAN_URI_NOT_ALLOWED', `no plan may be fetched from '${uri}'${why}`)
  }

  async #fetch(transport: PlanTransport, tenantId: string, ref: PlanRef): Promise<Fetched> {
    const { uri, sha256, sizeBytes: told, planId, planVersion, compression = 'none' } = ref
    // More than the reference says need not be read to know that it is wrong.
    const maxBytes = Math.min(LIMITS.planBytes, told ?? LIMITS.planBytes)
    const bytes = await transport.fetch({ tenantId, uri, maxBytes })
    if (bytes === undefined) {
      const isStored = hashOfUri(uri) !== undefined
      return fail('PLAN_NOT_FOUND', isStored ? `no stored plan has the hash ${sha256}` : `there is no file ${uri}`)
    }
    if (bytes.byteLength > LIMITS.planBytes)
      fail('PLAN_TOO_LARGE', `the plan at ${uri} has more than ${LIMITS.planBytes} bytes`)
    if (bytes.byteLength > maxBytes) invalid('sizeBytes', `the plan has more than ${maxBytes} bytes`)
    const actualSha256 = sha256Hex(bytes)
    if (actualSha256 !== sha256)
      fail('PLAN_INTEGRITY_VALIDATION_FAILED', `the plan at ${uri} has the hash ${actualSha256}, not ${sha256}`, {
        details: { expectedSha256: sha256, actualSha256, planUri: uri, planId, planVersion },
      })
    const read = unwrap(await this.#read(bytes, compression))
    const sizeBytes = bytes.byteLength
    const { from } = read.compiled.source ?? {}
    const source = { sha256, sizeBytes, ...(from === undefined ? {} : { from }), uri }
    return { ...read, compiled: madeOf(read.compiled, source), sizeBytes }
  }
}

/** What the plan says of itself is what its reference says (PLN-12, PLN-14). */
function checkAgainst(ref: PlanRef, { compiled, schemaVersion, sizeBytes }: Fetched): void {
  if (ref.sizeBytes !== undefined && ref.sizeBytes !== sizeBytes)
    invalid('sizeBytes', `the plan has ${sizeBytes} bytes, not ${ref.sizeBytes}`)
  if (schemaVersion !== undefined && ref.schemaVersion !== schemaVersion)
    fail('PLAN_SCHEMA_VERSION_MISMATCH', `the plan has schemaVersion '${schemaVersion}', not '${ref.schemaVersion}'`, {
      pointer: '/schemaVersion',
    })
  const { planId, planVersion } = compiled.plan.metadata
  for (const [name, value] of Object.entries({ planId, planVersion }))
    if (ref[name as 'planId'] !== value) invalid(name, `the plan's ${name} is '${value}'`)
}

function invalid(name: string, message: string): never {
  return fail('PLAN_REF_INVALID', message, { pointer: `/${name}` })
}
