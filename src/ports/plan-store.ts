/**
 * What the product asks of a store about plans. A plan belongs to a tenant: for other tenants it does not exist. Its
 * bytes are stored once by their hash and never change. A plan is found by its id only after it was published, which is
 * a separate act.
 */
import type { PlanSource } from '../core/run/input.ts'

export interface StoredPlan {
  readonly tenantId: string
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

export interface PutPlan {
  /** From now on its id, and its id with its version, mean this plan. Default: only its hash does. */
  readonly publish?: boolean
  /** Other bytes under the same id and version are replaced. Default false. */
  readonly replaceVersion?: boolean
  /** The bytes it was made of, where they were not its own: kept with a new publication. */
  readonly source?: PlanSource
}

export type PutPlanAnswer =
  | { readonly kind: 'stored' }
  /** This id and version has other bytes, of this hash: nothing was written. */
  | { readonly kind: 'version-exists'; readonly sha256: string }

/** What a name leads to: the newest publication of an id, or of an id and version. */
export interface PublishedName {
  readonly planId: string
  readonly planVersion: string
  readonly sha256: string
}

export interface PlanStore {
  /**
   * Stores a plan, and publishes it if requested. Of two simultaneous callers with different bytes for one id and
   * version, one is refused. Publishing the current plan of an id and version changes nothing, not even which version
   * is the newest.
   */
  putPlan(plan: StoredPlan, how?: PutPlan): Promise<PutPlanAnswer>
  getPlan(tenantId: string, sha256: string): Promise<string | undefined>
  /** The hash that was published last under that id (and version, if given). */
  findPlan(tenantId: string, planId: string, planVersion?: string): Promise<string | undefined>
  /** Published plans of a tenant, each by its newest publication, by id; strictly after the id `after`. */
  listPlans(tenantId: string, after: string, limit: number): Promise<readonly PublishedName[]>
  /** The versions of a plan, each by its newest publication, the one that was published last first. */
  listPlanVersions(tenantId: string, planId: string, limit: number): Promise<readonly PublishedName[]>
  /** The bytes that the plan of this hash was made of when it was published last. */
  findPlanSource(tenantId: string, sha256: string): Promise<PlanSource | undefined>
}
