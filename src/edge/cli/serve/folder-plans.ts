/**
 * The plans of a served folder, for every tenant that asks: a tenant has them from its first request on. Child plans are published
 * before those that name them, whatever order the files have.
 */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { BoundedCache } from '../../../app/schemas/bounded-cache.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import { onBehalf } from '../../../library/behalf/on-behalf.ts'
import type { WhoAsks } from '../../http/who/who-asks.ts'
import type { PlanFile } from '../files/plan-file.ts'

interface Folder {
  readonly keelson: Keelson
  readonly plans: readonly PlanFile[]
  /** A changed plan may keep its version. */
  readonly replaceVersion: boolean
  readonly onRefused: (plan: PlanFile, error: KeelsonError) => void
}

const TENANTS_KEPT = 10_000

export class FolderPlans {
  readonly #folder: Folder
  #plans: readonly PlanFile[]
  #published = new BoundedCache<string, Promise<void>>(TENANTS_KEPT)

  constructor(folder: Folder) {
    this.#folder = folder
    this.#plans = folder.plans
  }

  /** Other plans from now on. */
  replace(plans: readonly PlanFile[]): void {
    this.#plans = plans
    this.#published = new BoundedCache<string, Promise<void>>(TENANTS_KEPT)
  }

  publishFor(tenantId: string): Promise<void> {
    const known = this.#published.get(tenantId)
    if (known !== undefined) return known
    const publishing = this.#publish(onBehalf(this.#folder.keelson, { ...LOCAL_PRINCIPAL, tenantId }))
    this.#published.set(tenantId, publishing)
    // A store that was away: the next request tries again.
    publishing.catch(() => this.#published.delete(tenantId))
    return publishing
  }

  /** Whoever is known has the plans. */
  for(who: WhoAsks): WhoAsks {
    return async (credentials) => {
      const caller = await who(credentials)
      if (caller !== undefined) await this.publishFor(caller.tenantId)
      return caller
    }
  }

  async #publish(keelson: Keelson): Promise<void> {
    const { replaceVersion, onRefused } = this.#folder
    let open = this.#plans
    for (;;) {
      const left: { readonly plan: PlanFile; readonly error: KeelsonError }[] = []
      for (const plan of open) {
        try {
          await keelson.publish(plan.compiled, { replaceVersion })
        } catch (thrown) {
          if (!(thrown instanceof KeelsonError) || thrown.code.startsWith('STORE_')) throw thrown
          left.push({ plan, error: thrown })
        }
      }
      if (left.length < open.length) open = left.map(({ plan }) => plan)
      else return left.forEach(({ plan, error }) => onRefused(plan, error))
    }
  }
}
