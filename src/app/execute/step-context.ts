/**
 * What a step function is given beside its input. Facts that every step uses are its own properties; everything else is made when
 * it is asked for, so a plain step pays for none of it. Nothing of it can be changed (CTX-01).
 */
import type { ArtifactRef } from '../../core/events/event.ts'
import { innerStepSlot } from '../../core/events/slot.ts'
import { stepWants } from '../../core/plan/compile/wants.ts'
import type { Step } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { ExecutionInfo } from '../../ports/run-context.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { StepArtifacts, StepContext, StepSecrets } from '../../ports/step-handlers.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { executionInfo, readRunContext } from '../views/read-run-context.ts'

export interface ContextParts {
  readonly services: { readonly store: RunStore; readonly artifacts?: ArtifactStore }
  readonly run: LoadedRun
  readonly step: Step
  readonly unit: Unit
  readonly effect: {
    readonly kind: string
    readonly slot: string
    readonly attempt: number
    readonly engineAttempt: number
  }
  readonly idempotencyKey: () => string
  /** The run that did what is undone, where that is another one. */
  readonly ownerRunId?: string
  readonly signal: AbortSignal
  readonly secrets: StepSecrets
  /** Pointers the step adds are collected here. */
  readonly artifactRefs: ArtifactRef[]
}

export function stepContext(parts: ContextParts): StepContext {
  // A key is an own property like the other facts, so that a copy of the context has it.
  return Object.freeze(Object.defineProperty(new OnDemand(parts), 'idempotencyKey', OF_KEY) as OnDemand & KeyOf)
}

type KeyOf = Pick<StepContext, 'idempotencyKey'>

const MAKE_KEY = Symbol('makes the key')
/** One getter for all contexts: an object with a getter of its own has a shape of its own, and making that costs more than all else. */
const OF_KEY = {
  enumerable: true,
  get(this: { readonly [MAKE_KEY]: () => string }): string {
    return this[MAKE_KEY]()
  },
}

/** Accessors live on the prototype: they are neither enumerable nor copied, so no log shows what lies behind them. */
class OnDemand {
  readonly #parts: ContextParts
  /** The fold moves on while the step runs; what it is shown does not. */
  readonly #state: RunState
  readonly signal: AbortSignal
  readonly runId: string
  readonly stepId: string
  declare readonly itemIndex?: number
  readonly attempt: number
  readonly engineAttempt: number
  readonly planId: string
  readonly planVersion: string

  constructor(parts: ContextParts) {
    const { run, effect } = parts
    this.#parts = parts
    this.#state = run.state
    this.signal = parts.signal
    this.runId = parts.ownerRunId ?? run.identity.runId
    this.stepId = parts.step.stepId
    const slot = innerStepSlot(effect.slot)
    if (slot?.itemIndex !== undefined) this.itemIndex = slot.itemIndex
    this.attempt = effect.attempt
    this.engineAttempt = effect.engineAttempt
    this.planId = run.identity.planId
    this.planVersion = run.identity.planVersion
    let key: string | undefined
    const value = (): string => (key ??= parts.idempotencyKey())
    Object.defineProperty(this, MAKE_KEY, { value })
  }

  get secrets(): StepSecrets {
    return this.#parts.secrets
  }

  get execution(): ExecutionInfo {
    return executionInfo(this.#parts.run)
  }

  get addArtifact(): StepContext['addArtifact'] {
    return (artifact) => {
      this.#parts.artifactRefs.push(artifact)
    }
  }

  get heartbeat(): StepContext['heartbeat'] {
    return () => undefined
  }

  get artifacts(): StepArtifacts {
    const { services, artifactRefs, run } = this.#parts
    const { tenantId, runId } = run.identity
    const holder = { tenantId, runId }
    const store = (): ArtifactStore =>
      services.artifacts ?? fail('ARTIFACT_REFUSED', 'a store in memory keeps no artifacts')
    return {
      put: async (content, about) => {
        const ref = await store().put(holder, content, about)
        artifactRefs.push(ref)
        return ref
      },
      get: async (ref) => store().get(holder, ref),
      read: (ref) => store().read(holder, ref),
    }
  }

  get resources(): StepContext['resources'] {
    const { step, unit, effect } = this.#parts
    // A compensation holds nothing: grants end with the attempt they were for (P-18).
    if (effect.kind === 'Compensate') return {}
    const wants = stepWants(step)
    return Object.freeze({ ...(unit.fallback ? wants?.fallback : wants?.step) })
  }

  get context(): StepContext['context'] {
    const { services, run, unit, effect } = this.#parts
    const state = this.#state
    const atSeq = effect.kind === 'Compensate' ? state.seq : unit.inputSeq
    return () => readRunContext(services.store, run, state, atSeq)
  }
}
