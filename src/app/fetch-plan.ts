/**
 * The plan behind a reference: fetched from where references may lead, held against its hash, and narrowed to what a plan
 * may have, before anything of it is used (PLN-05, PLN-12, ADP-05). A worker that runs it checks the hash once more.
 */
import type { PlanRef } from '../core/plan/plan-ref.ts'
import { fail, KeelsonError, type Problem } from '../core/problems/problem.ts'
import { isoFromMs, msFromIso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunStore } from '../ports/run-store.ts'
import { BoundedCache } from './bounded-cache.ts'
import { compilePlan, type CompiledPlan } from './compile-plan.ts'
import { sha256Hex } from './sha256.ts'

const PLANS_KEPT = 64
const STORED = /^plan:sha256:([0-9a-f]{64})$/

export class PlanFetcher {
  readonly #store: Pick<RunStore, 'getPlan'>
  readonly #clock: Clock
  readonly #narrowed = new BoundedCache<string, CompiledPlan>(PLANS_KEPT)

  constructor(store: Pick<RunStore, 'getPlan'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async fetch(ref: PlanRef): Promise<CompiledPlan> {
    const [, hash] = STORED.exec(ref.uri) ?? []
    if (hash === undefined) return fail('PLAN_URI_NOT_ALLOWED', `no plan may be fetched from '${ref.uri}'`)
    if (hash !== ref.sha256) invalid('uri', `'uri' leads to another hash than 'sha256' says`)
    const expiry = msFromIso(ref.expiresAt ?? '')
    if (expiry !== undefined && expiry <= this.#clock.now())
      invalid('expiresAt', `the reference ran out at ${isoFromMs(expiry)}`)
    const plan = this.#narrowed.get(hash) ?? (await this.#read(ref))
    this.#narrowed.set(hash, plan)
    const { planId, planVersion } = plan.plan.metadata
    const actual = { planId, planVersion, schemaVersion: plan.plan.schemaVersion }
    for (const [name, value] of Object.entries(actual))
      if (ref[name as keyof typeof actual] !== value) invalid(name, `the plan's ${name} is '${value}'`)
    return plan
  }

  async #read({ sha256, sizeBytes, ...ref }: PlanRef): Promise<CompiledPlan> {
    const text = await this.#store.getPlan(sha256)
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
    const compiled = compilePlan(text)
    if (!compiled.ok) throw refusalOf(compiled.problems)
    // Whoever reads the stored bytes must read the plan that was checked, with every default in its place.
    if (compiled.value.sha256 !== sha256) invalid('sha256', 'the stored plan is not in its canonical form')
    return compiled.value
  }
}

/** What leads to a plan that was stored here. */
export function planRefOf({ plan, text, sha256 }: CompiledPlan): PlanRef {
  const { planId, planVersion } = plan.metadata
  const { schemaVersion } = plan
  return {
    uri: `plan:sha256:${sha256}`,
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

function refusalOf([first, ...rest]: readonly Problem[]): KeelsonError {
  return new KeelsonError([first as Problem, ...rest])
}
