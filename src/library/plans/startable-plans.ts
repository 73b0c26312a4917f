/**
 * What a program may start and publish: a plan it brings, or the name of one that is published. A name is read strictly, for
 * it may come from outside.
 */
import { publishPlan } from '../../app/plans/publish.ts'
import { resolveChildren, resolvePlan } from '../../app/plans/resolve.ts'
import { keepPlanSchedule, needPlanSchedule } from '../../app/schedules/plan-schedule.ts'
import { PlanFetcher } from '../../app/sources/fetch.ts'
import { storedPlans } from '../../app/sources/stored-plans.ts'
import type { PlanToStart } from '../../app/plans/admit.ts'
import { childReferences } from '../../core/plan/compile/child-plans.ts'
import { parsePlanName, type PlanName } from '../../core/plan/format/plan-name.ts'
import { parsePlanRef, type PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { needKind, OBJECT } from '../../core/option-kinds.ts'
import { unwrap } from '../../core/result.ts'
import { AskedTogether } from './asked-together.ts'
import { readSourceAside } from './compile-apart.ts'
import { LoadedPlans, PLAN, type Startable } from './load-plan.ts'
import type { Parts } from '../parts.ts'

export type { PlanName }

export interface PublishOptions {
  /** Whose plan it is. Default: the tenant of this Keelson, which is `local`. */
  readonly tenantId?: string
  /** In development: it may differ from what is stored under its id and version. Default as `openKeelson` was told. */
  readonly replaceVersion?: boolean
}

export type PublishedPlan = Pick<PlanToStart, 'plan' | 'sha256'>

type PlanParts = Pick<Parts, 'services' | 'advancer' | 'replaceVersion' | 'planTransports' | 'principal'>

/** Of each store that this process has open, for all whom it starts runs for: a busy server is asked for the same few names. */
const TOGETHER = new WeakMap<object, AskedTogether<PlanToStart>>()

export class StartablePlans {
  readonly #parts: PlanParts
  readonly #tenantId: string
  readonly #brought = new LoadedPlans()
  readonly #fetcher: PlanFetcher

  constructor(parts: PlanParts, tenantId: string) {
    this.#parts = parts
    this.#tenantId = tenantId
    const { services, planTransports = [] } = parts
    this.#fetcher = new PlanFetcher([storedPlans(services.store), ...planTransports], services.clock, readSourceAside)
  }

  /** A plan that is brought is at hand at once. */
  get(from: Startable | PlanName | PlanRef): PlanToStart | Promise<PlanToStart> {
    needKind('the plan', from, PLAN)
    return isName(from) ? this.#published(from) : this.#brought.get(from)
  }

  async publish(from: Startable, options: PublishOptions): Promise<PlanRef> {
    const { services, advancer, principal, replaceVersion = false } = this.#parts
    const place = { store: services.store, plans: advancer.plans }
    const publishing = { tenantId: this.#tenantId, replaceVersion, ...options }
    const compiled = this.#brought.get(from)
    const { tenantId } = publishing
    const { actorId } = principal
    const by = { store: services.store, tenantId, now: services.clock.now(), actorId }
    await services.limits?.needQuota(tenantId, compiled.plan)
    await needPlanSchedule(by, compiled)
    const published = await publishPlan(place, compiled, publishing)
    await keepPlanSchedule(by, compiled)
    return published
  }

  /** The plan that a name leads to now, and after it those it can reach. */
  async reachedFrom(from: PlanName): Promise<readonly PlanToStart[]> {
    needKind('the name of the plan', from, OBJECT)
    const { services, advancer } = this.#parts
    const place = { store: services.store, plans: advancer.plans, tenantId: this.#tenantId }
    const root = await resolvePlan(place, unwrap(parsePlanName(from)))
    const pinned = await resolveChildren(place, root, null)
    const found = new Map([[root.sha256, root]])
    for (const runBy of found.values())
      for (const ref of childReferences(runBy.plan)) {
        const child = await resolvePlan(place, ref, pinned, runBy)
        if (!found.has(child.sha256)) found.set(child.sha256, child)
      }
    return [...found.values()]
  }

  async #published(from: PlanName | PlanRef): Promise<PlanToStart> {
    if ('uri' in from) return this.#fetcher.fetch(this.#tenantId, unwrap(parsePlanRef(from)))
    const name = unwrap(parsePlanName(from))
    const { store, timers } = this.#parts.services
    const together = TOGETHER.get(store) ?? new AskedTogether(timers)
    TOGETHER.set(store, together)
    return together.ask(JSON.stringify([this.#tenantId, name]), () => this.#named(name))
  }

  async #named(name: PlanName): Promise<PlanToStart> {
    const { services, advancer } = this.#parts
    const place = { store: services.store, plans: advancer.plans, tenantId: this.#tenantId }
    const plan = await resolvePlan(place, name)
    const source = await services.store.findPlanSource(this.#tenantId, plan.sha256)
    return source === undefined ? plan : { ...plan, source }
  }
}

/** A document and a compiled plan have their id further inside. */
function isName(from: Startable | PlanName | PlanRef): from is PlanName | PlanRef {
  return 'planId' in from && !('steps' in from)
}
