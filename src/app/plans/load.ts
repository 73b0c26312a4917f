/**
 * Plans by tenant and hash: the stored bytes are checked against the hash each time they are read, then compiled once. A plan
 * that one tenant has stored is not available to another tenant, even if both use the same bytes.
 */
import { compileGraph, type PlanGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { PlanStore } from '../../ports/plan-store.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import { sha256Hex } from '../log/sha256.ts'

const PLANS_KEPT = 64
/** Only their names are kept: many tenants may run one plan. */
const OWNERS_KEPT = 4_096

export interface LoadedPlan {
  readonly plan: Plan
  readonly graph: PlanGraph
  readonly sha256: string
}

export class PlanShelf {
  readonly #store: Pick<PlanStore, 'getPlan'>
  /** By hash, whoever stored the bytes. */
  readonly #compiled = new BoundedCache<string, LoadedPlan>(PLANS_KEPT)
  /** By hash and tenant: what is known to be stored. */
  readonly #stored = new BoundedCache<string, true>(OWNERS_KEPT)

  constructor(store: Pick<PlanStore, 'getPlan'>) {
    this.#store = store
  }

  /**
   * A plan whose canonical text is in memory. Every process reads that text, so the keys of a mapped input have the same order
   * everywhere.
   */
  compile(text: string, sha256: string): LoadedPlan {
    const known = this.#compiled.get(sha256)
    if (known !== undefined) return known
    const plan = JSON.parse(text) as Plan
    const loaded = { plan, graph: compileGraph(plan), sha256 }
    this.#compiled.set(sha256, loaded)
    return loaded
  }

  noteStored(tenantId: string, sha256: string): void {
    this.#stored.set(sha256 + tenantId, true)
  }

  /** A plan that the tenant has stored and whose bytes were checked before. */
  known(tenantId: string, sha256: string): LoadedPlan | undefined {
    return this.#stored.get(sha256 + tenantId) === undefined ? undefined : this.#compiled.get(sha256)
  }

  async get(tenantId: string, sha256: string): Promise<LoadedPlan> {
    return (await this.find(tenantId, sha256)) ?? fail('PLAN_NOT_FOUND', `no stored plan has the hash ${sha256}`)
  }

  /** Undefined when the tenant has no such plan. */
  async find(tenantId: string, sha256: string): Promise<LoadedPlan | undefined> {
    const known = this.known(tenantId, sha256)
    if (known !== undefined) return known
    const text = await this.#store.getPlan(tenantId, sha256)
    if (text === undefined) return undefined
    const actual = sha256Hex(text)
    if (actual !== sha256) {
      fail('PLAN_INTEGRITY_VALIDATION_FAILED', `the stored plan ${sha256} has the hash ${actual}`, {
        details: { expectedSha256: sha256, actualSha256: actual },
      })
    }
    this.noteStored(tenantId, sha256)
    return this.compile(text, sha256)
  }
}
