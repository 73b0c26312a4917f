/**
 * Plans by hash: the stored bytes are checked against the hash each time they are read, then compiled once.
 */
import { compileGraph, type PlanGraph } from '../core/plan/graph.ts'
import type { Plan } from '../core/plan/plan.ts'
import { fail } from '../core/problems/problem.ts'
import type { RunStore } from '../ports/run-store.ts'
import { BoundedCache } from './bounded-cache.ts'
import { sha256Hex } from './sha256.ts'

const PLANS_KEPT = 64

export interface LoadedPlan {
  readonly plan: Plan
  readonly graph: PlanGraph
  readonly sha256: string
}

export class PlanShelf {
  readonly #store: Pick<RunStore, 'getPlan'>
  readonly #kept = new BoundedCache<string, LoadedPlan>(PLANS_KEPT)

  constructor(store: Pick<RunStore, 'getPlan'>) {
    this.#store = store
  }

  /** A plan whose canonical text is already at hand. Every process reads that text, so a mapped input has one key order everywhere. */
  put(text: string, sha256: string): LoadedPlan {
    const known = this.#kept.get(sha256)
    if (known !== undefined) return known
    const plan = JSON.parse(text) as Plan
    const loaded = { plan, graph: compileGraph(plan), sha256 }
    this.#kept.set(sha256, loaded)
    return loaded
  }

  /** A plan whose bytes were checked before. */
  known(sha256: string): LoadedPlan | undefined {
    return this.#kept.get(sha256)
  }

  async get(sha256: string): Promise<LoadedPlan> {
    const known = this.#kept.get(sha256)
    if (known !== undefined) return known
    const text = await this.#store.getPlan(sha256)
    if (text === undefined) fail('PLAN_NOT_FOUND', `no stored plan has the hash ${sha256}`)
    const actual = sha256Hex(text)
    if (actual !== sha256) {
      fail('PLAN_INTEGRITY_VALIDATION_FAILED', `the stored plan ${sha256} has the hash ${actual}`, {
        details: { expectedSha256: sha256, actualSha256: actual },
      })
    }
    return this.put(text, sha256)
  }
}
