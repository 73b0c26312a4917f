/** Published plans of a tenant: listed, read, drawn and compared. Publishing and starting are in StartablePlans. */
import type { LoadedPlan } from '../../app/plans/load.ts'
import { resolvePlan } from '../../app/plans/resolve.ts'
import { parsePlanName, type PlanName } from '../../core/plan/format/plan-name.ts'
import { diffPlans, type PlanDiff } from '../../core/plan/write/diff-plans.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { PublishedName } from '../../ports/plan-store.ts'
import type { CompiledPlan } from '../../app/plans/compile.ts'
import { readSourceAside } from './compile-apart.ts'
import type { ReadingParts } from '../parts.ts'

const PAGE = 50
const VERSIONS = 1_000

export class PlanCatalogue {
  readonly #parts: Pick<ReadingParts, 'services' | 'advancer' | 'principal'>

  constructor(parts: Pick<ReadingParts, 'services' | 'advancer' | 'principal'>) {
    this.#parts = parts
  }

  /** By id, each with its newest version; a page begins after the id `after`. */
  async list(after = '', limit = PAGE): Promise<readonly PublishedName[]> {
    return this.#parts.services.store.listPlans(this.#tenantId, after, limit)
  }

  /** The one that was published last first; fails where the plan is not published. */
  async versions(planId: string): Promise<readonly PublishedName[]> {
    const found = await this.#parts.services.store.listPlanVersions(this.#tenantId, planId, VERSIONS)
    return found.length > 0 ? found : fail('PLAN_NOT_FOUND', `no plan ${planId} is published here`)
  }

  /** The plan that a name leads to now. */
  async get(name: PlanName): Promise<LoadedPlan> {
    const { services, advancer } = this.#parts
    const place = { store: services.store, plans: advancer.plans, tenantId: this.#tenantId }
    return resolvePlan(place, unwrap(parsePlanName(name)))
  }

  /** A plan that the tenant has stored, published or not. */
  async byHash(sha256: string): Promise<LoadedPlan> {
    const found = await this.#parts.advancer.plans.find(this.#tenantId, sha256)
    return found ?? fail('PLAN_NOT_FOUND', `no plan has the hash ${sha256}`)
  }

  /** What changed between two versions. */
  async diff(planId: string, from: string, to: string): Promise<PlanDiff> {
    const [before, after] = [await this.get({ planId, planVersion: from }), await this.get({ planId, planVersion: to })]
    const blocks = new Map<string, Plan>()
    for (const { plan } of [before, after]) await this.#collectBlocks(plan, blocks)
    return diffPlans(before.plan, after.plan, { blockOf: (sha256) => blocks.get(sha256) })
  }

  async #collectBlocks(plan: Plan, blocks: Map<string, Plan>): Promise<void> {
    for (const step of plan.steps) {
      const sha256 = 'plan' in step ? step.plan.sha256 : undefined
      if (sha256 === undefined || blocks.has(sha256)) continue
      const found = await this.#parts.advancer.plans.find(this.#tenantId, sha256)
      if (found === undefined) continue
      blocks.set(sha256, found.plan)
      await this.#collectBlocks(found.plan, blocks)
    }
  }

  get #tenantId(): string {
    return this.#parts.principal.tenantId
  }
}

/** Compiles a stranger's plan text while the process serves others; fails with every problem, at its place. */
export async function compileAside(text: string, file?: string): Promise<CompiledPlan> {
  const read = await readSourceAside(Buffer.from(text), 'none', file === undefined ? {} : { file })
  return unwrap(read).compiled
}
