/** The operations of a program that acts for other people: the caller is named once, and every call is made on their behalf. */
import type { BreakerOptions } from '../../app/operations/circuit-breaker.ts'
import { readOptions, type WithTexts } from '../../core/option-durations.ts'
import type { EngineOperations } from '../../app/operations/engine-operations.ts'
import {
  RunOperations,
  type EnrichedStatus,
  type OperationsOptions,
  type StartContext,
} from '../../app/operations/run-operations.ts'
import type { GivenRef } from '../../app/operations/resolve-run.ts'
import type { CompiledPlan } from '../../app/plans/compile.ts'
import { PlanFetcher } from '../../app/sources/fetch.ts'
import { storedPlans } from '../../app/sources/stored-plans.ts'
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import type { EngineType } from '../../core/engine/engine-type.ts'
import type { EngineRunRef } from '../../core/engine/run-ref.ts'
import type { RunStatusSnapshot } from '../../core/engine/run-status.ts'
import { needKnown } from '../../core/known-options.ts'
import { needKind, needText, OBJECT, TEXT, TEXTS } from '../../core/option-kinds.ts'
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import type { ActorContext, EngineSignal } from '../../ports/provider-adapter.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { isVouched } from '../../app/plans/plan-source.ts'
import { compiledAgain } from '../plans/load-plan.ts'
import { readSourceAside } from '../plans/compile-apart.ts'
import * as known from '../option-names.ts'
import type { Parts } from '../parts.ts'

export class ActorOperations {
  readonly #operations: RunOperations
  readonly #actor: ActorContext

  constructor(operations: RunOperations, actor: ActorContext) {
    this.#operations = operations
    this.#actor = actor
  }

  async startRun(plan: PlanRef | CompiledPlan, context: StartContext): Promise<EngineRunRef> {
    const given = 'plan' in plan && !isVouched(plan) ? compiledAgain(plan) : plan
    return this.#operations.startRun(given, context, this.#actor)
  }

  async cancelRun(ref: GivenRef, reason?: string): Promise<void> {
    return this.#operations.cancelRun(ref, this.#actor, reason)
  }

  async getRunStatus(ref: GivenRef): Promise<RunStatusSnapshot> {
    return this.#operations.getRunStatus(ref, this.#actor)
  }

  /** The status, and what only the provider knows. Answers whether or not the provider does. */
  async getEnrichedStatus(ref: GivenRef): Promise<EnrichedStatus> {
    return this.#operations.getEnrichedStatus(ref, this.#actor)
  }

  async signal(ref: GivenRef, request: EngineSignal): Promise<void> {
    return this.#operations.signal(ref, request, this.#actor)
  }
}

/** Nobody at all is for the operation to refuse: it says what nobody may do. */
function needActorKinds(actor: ActorContext | undefined): void {
  if (actor === undefined) return
  needKind('as: the actor', actor, OBJECT)
  needKind('as: userId', actor.userId, TEXT)
  needKind('as: tenantId', actor.tenantId, TEXT)
  needKind('as: roles', actor.roles, TEXTS)
}

const KEPT = 100

/** Times in milliseconds, or as text. */
export type ActingOptions = Omit<OperationsOptions, 'breaker'> & { readonly breaker?: WithTexts<BreakerOptions> }

/** One for each set of options, so that calls for different actors share the circuit breakers. */
export class OperationsByOptions {
  readonly #parts: Parts
  readonly #known = new BoundedCache<string, RunOperations>(KEPT)
  readonly #starting = new Set<RunKey>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  of(actor: ActorContext, asked: ActingOptions = {}): ActorOperations {
    needKnown('as', asked, known.OPERATIONS_OPTIONS)
    const { breaker: given, ...rest } = asked
    const options: OperationsOptions = {
      ...rest,
      ...(given === undefined ? {} : { breaker: readOptions<BreakerOptions>('breaker', given, known.BREAKER_OPTIONS) }),
    }
    needActorKinds(actor)
    return new ActorOperations(this.#operations(options), actor)
  }

  /** One engine behind its contract, where each call names its actor. */
  onEngine(name: EngineType): EngineOperations {
    return this.#operations({}).adapter(needText('onEngine: the engine', name) as EngineType)
  }

  #operations(options: OperationsOptions): RunOperations {
    const { failures, restMs } = options.breaker ?? {}
    const key = JSON.stringify([options.production === true, failures, restMs])
    const before = this.#known.get(key)
    if (before !== undefined) return before
    const { services, advancer, engine: engines, planTransports = [] } = this.#parts
    const others = options.production === true ? [] : planTransports
    const plans = new PlanFetcher([storedPlans(services.store), ...others], services.clock, readSourceAside)
    const made = new RunOperations({ services, advancer, engines, plans, starting: this.#starting, ...options })
    this.#known.set(key, made)
    return made
  }
}
