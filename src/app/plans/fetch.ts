/**
 * The plan behind a reference: fetched from an allowed place, compared with its hash and checked as a plan, before any part of it
 * is used (PLN-05, PLN-12, ADP-05). A worker that runs it checks the hash once more.
 */
import { unwrap } from '../../core/result.ts'
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { hashOfUri, storedPlanUri } from '../../core/plan/format/plan-uri.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Result } from '../../core/result.ts'
import { isoFromMs, msFromIso } from '../../core/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PlanStore } from '../../ports/plan-store.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import type { CompiledPlan } from './compile.ts'
import { sha256Hex } from '../log/sha256.ts'

const PLANS_KEPT = 64

/** The author of the stored text may be untrusted: it is read in a thread that can be ended. */
export type CompileText = (text: string) => Promise<Result<CompiledPlan>>

export class PlanFetcher {
  readonly #store: Pick<PlanStore, 'getPlan'>
  readonly #clock: Clock
  readonly #compile: CompileText
  /** By hash and tenant. */
  readonly #narrowed = new BoundedCache<string, CompiledPlan>(PLANS_KEPT)

  constructor(store: Pick<PlanStore, 'getPlan'>, clock: Clock, compile: CompileText) {
    this.#store = store
    this.#clock = clock
    this.#compile = compile
  }

  /** A plan of another tenant counts as missing. */
  async fetch(tenantId: string, ref: PlanRef): Promise<CompiledPlan> {
    const hash = hashOfUri(ref.uri)
    if (hash === undefined) return fail('PLAN_URI_NOT_ALLOWED', `no plan may be fetched from '${ref.uri}'`)
    if (hash !== ref.sha256) invalid('uri', `'uri' leads to another hash than 'sha256' says`)
    const expiry = msFromIso(ref.expiresAt ?? '')
    if (expiry !== undefined && expiry <= this.#clock.now())
      invalid('expiresAt', `the reference expired at ${isoFromMs(expiry)}`)
    const plan = this.#narrowed.get(hash + tenantId) ?? (await this.#read(tenantId, ref))
    this.#narrowed.set(hash + tenantId, plan)
    const { planId, planVersion } = plan.plan.metadata
    const { schemaVersion } = plan.plan
    if (ref.schemaVersion !== schemaVersion)
      fail(
        'PLAN_SCHEMA_VERSION_MISMATCH',
        `the plan has schemaVersion '${schemaVersion}', not '${ref.schemaVersion}'`,
        {
          pointer: '/schemaVersion',
        },
      )
    const actual = { planId, planVersion }
    for (const [name, value] of Object.entries(actual))
      if (ref[name as keyof typeof actual] !== value) invalid(name, `the plan's ${name} is '${value}'`)
    return plan
  }

  async #read(tenantId: string, { sha256, sizeBytes, ...ref }: PlanRef): Promise<CompiledPlan> {
    const text = await this.#store.getPlan(tenantId, sha256)
    if (text === undefined) return fail('PLAN_NOT_FOUND', `no stored plan has the hash ${sha256}`)
    const actualSha256 = sha256Hex(text)
    if (actualSha256 !== sha256)
      fail('PLAN_INTEGRITY_VALIDATION_FAILED', `the stored plan ${sha256} has the hash ${actualSha256}`, {
        details: {
          expectedSha256: sha256,
          actualSha256,
          planUri: ref.uri,
          planId: ref.planId,
          planVersion: ref.planVersion,
        },
      })
    if (sizeBytes !== undefined && Buffer.byteLength(text) !== sizeBytes)
      invalid('sizeBytes', `the plan has ${Buffer.byteLength(text)} bytes`)
    const compiled = unwrap(await this.#compile(text))
    // A reader of the stored bytes must get the plan that was checked, with every default filled in.
    if (compiled.sha256 !== sha256) invalid('sha256', 'the stored plan is not in its canonical form')
    return compiled
  }
}

/** The reference to a plan that was stored here. */
export function planRefOf({ plan, text, sha256 }: CompiledPlan): PlanRef {
  const { planId, planVersion } = plan.metadata
  const { schemaVersion } = plan
  return {
    uri: storedPlanUri(sha256),
    sha256,
    schemaVersion,
    planId,
    planVersion,
    sizeBytes: Buffer.byteLength(text),
  }
}

function invalid(name: string, message: string): never {
  return fail('PLAN_REF_INVALID', message, { pointer: `/${name}` })
}
