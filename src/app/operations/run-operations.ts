/**
 * The four operations of an engine for outside callers (ENG-01), and their coordinator: it chooses the adapter before
 * anything is started, finds each run by what is stored of it, and lets no caller reach another tenant. The status
 * comes from the log; further knowledge of the provider is read separately, behind a circuit breaker (ENG-10).
 */
import { chooseAdapter, targetFor, type Deployment } from '../../core/engine/choose-adapter.ts'
import type { EngineRunRef } from '../../core/engine/run-ref.ts'
import { withSubstatus, type RunStatusSnapshot } from '../../core/engine/run-status.ts'
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import { parsePlanRef, type PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { fail, type Problem } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import { engineTypeOf, type EngineType } from '../../core/engine/engine-type.ts'
import type { ActorContext, EngineRunContext, EngineSignal } from '../../ports/provider-adapter.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import { engineReport } from '../plans/check-engine.ts'
import { CircuitBreaker, type BreakerOptions } from './circuit-breaker.ts'
import type { CompiledPlan } from '../plans/compile.ts'
import { EngineOperations, startRequest, type AdapterParts } from './engine-operations.ts'
import type { Engines } from '../engines/engines.ts'
import { providerFailure } from './provider-failure.ts'
import { readStatus } from './read-status.ts'
import { needActor, needOwnTenant, resolveRun, type GivenRef } from './resolve-run.ts'
import { startRun } from '../start/start-run.ts'

export interface OperationsOptions {
  /** In production, plans are given by reference only, and nothing is simulated (ENG-09, X-47). */
  readonly production?: boolean
  readonly breaker?: BreakerOptions
}

export interface OperationsParts extends AdapterParts, OperationsOptions {
  readonly engines: Engines
}

/** When omitted, the engine is the plan's, or the deployment's where the plan says `any`. */
export type StartContext = Omit<EngineRunContext, 'targetAdapter'> & { readonly targetAdapter?: string }

export interface EnrichedStatus extends RunStatusSnapshot {
  /** `unavailable`: the provider did not answer, or its breaker is open; `unneeded`: it knows nothing more. */
  readonly provider: 'answered' | 'unavailable' | 'unneeded'
  readonly problem?: Problem
}

const BREAKERS_KEPT = 1_000

export class RunOperations {
  readonly #parts: OperationsParts
  readonly #adapters = new Map<EngineType, EngineOperations>()
  /** By engine and tenant: if one tenant's runs cannot be queried, other tenants are not affected. */
  readonly #breakers = new BoundedCache<string, CircuitBreaker>(BREAKERS_KEPT)

  constructor(parts: OperationsParts) {
    this.#parts = parts
  }

  get deployment(): Deployment {
    const { engines, production = false } = this.#parts
    return { ...engines.types, production }
  }

  /** The adapter of an open engine. */
  adapter(name: EngineType): EngineOperations {
    const known = this.#adapters.get(name)
    if (known !== undefined) return known
    const engine = this.#parts.engines.of(name)
    if (engine === undefined) return fail('ENGINE_NOT_OPEN', `this process has not opened '${name}'`)
    const adapter = new EngineOperations(this.#parts, engine, name)
    this.#adapters.set(name, adapter)
    return adapter
  }

  async startRun(given: PlanRef | CompiledPlan, context: StartContext, actor: ActorContext): Promise<EngineRunRef> {
    needActor('startRun', actor)
    await needOwnTenant(this.#parts, context, actor)
    const plan = await this.#planOf(given, actor)
    const { metadata } = plan.plan
    const asked = context.targetAdapter ?? targetFor(metadata, this.deployment)
    const targetAdapter = unwrap(chooseAdapter(asked, metadata, this.deployment))
    const report = engineReport(plan.plan, targetAdapter, this.#parts.services.clock.now())
    if (report.status === 'ERRORS') return this.#refuse(plan, context, actor, report)
    return this.adapter(targetAdapter).start(plan, { ...context, targetAdapter }, actor)
  }

  async cancelRun(ref: GivenRef, actor: ActorContext, reason?: string): Promise<void> {
    const row = await resolveRun(this.#parts, 'cancelRun', ref, actor)
    await this.#adapterOf(row).cancelRun(row.runId, actor, reason)
  }

  async getRunStatus(ref: GivenRef, actor: ActorContext): Promise<RunStatusSnapshot> {
    const row = await resolveRun(this.#parts, 'getRunStatus', ref, actor)
    return readStatus(this.#parts, row)
  }

  async signal(ref: GivenRef, request: EngineSignal, actor: ActorContext): Promise<void> {
    const row = await resolveRun(this.#parts, 'signal', ref, actor)
    await this.#adapterOf(row).signal(row.runId, request, actor)
  }

  /** The status, and what only the provider knows. Answers whether or not the provider does. */
  async getEnrichedStatus(ref: GivenRef, actor: ActorContext): Promise<EnrichedStatus> {
    const row = await resolveRun(this.#parts, 'getEnrichedStatus', ref, actor)
    const provider = engineTypeOf(row.engineType)
    const status = await readStatus(this.#parts, row)
    const host = this.#parts.engines.of(provider)?.host
    const isLive = status.status === 'RUNNING' || status.status === 'PAUSED'
    if (host?.substatus === undefined || !isLive) return { ...status, provider: 'unneeded' }
    const seen = await this.#breakerOf(provider, row.tenantId).try(async () => host.substatus?.(row))
    if (seen.kind === 'answered') return { ...withSubstatus(status, seen.value), provider: 'answered' }
    if (seen.kind === 'resting') return { ...status, provider: 'unavailable' }
    const failure = providerFailure({ provider, operation: 'getEnrichedStatus', runId: row.runId }, seen.error)
    return { ...status, provider: 'unavailable', problem: failure.problems[0] }
  }

  async #planOf(given: PlanRef | CompiledPlan, { tenantId }: ActorContext): Promise<CompiledPlan> {
    if (!('plan' in given)) return this.#parts.plans.fetch(tenantId, unwrap(parsePlanRef(given)))
    if (this.#parts.production === true)
      fail('PLAN_INLINE_REFUSED', 'in production, give a reference to the plan instead of the plan itself')
    return given
  }

  /** The adapter is not asked. The start keeps the refused run with its report, and throws (CAP-11). */
  async #refuse(
    plan: CompiledPlan,
    context: StartContext,
    actor: ActorContext,
    report: ValidationReport,
  ): Promise<never> {
    const { services, advancer, engines } = this.#parts
    const engine = engines.of(report.targetAdapter)?.capabilities ?? fail('ENGINE_NOT_OPEN', report.targetAdapter)
    await startRun(services, advancer, { ...startRequest(plan, context, actor), engine, report })
    return fail('RUN_ALREADY_EXISTS', `run ${context.runId} was started before`)
  }

  #adapterOf({ engineType, runId }: RunRow): EngineOperations {
    if (this.#parts.engines.of(engineType) === undefined)
      fail('RUN_ON_OTHER_ENGINE', `run ${runId} is on '${engineType}', and this process has not opened that engine`)
    return this.adapter(engineTypeOf(engineType))
  }

  #breakerOf(provider: EngineType, tenantId: string): CircuitBreaker {
    const key = JSON.stringify([provider, tenantId])
    const known = this.#breakers.get(key) ?? new CircuitBreaker(this.#parts.services.clock, this.#parts.breaker)
    this.#breakers.set(key, known)
    return known
  }
}
