/**
 * The six hook events as a fold of a run's log (OBS-01, OBS-10): records go in one by one, in order, and each gives the
 * events it stands for. Only starts are remembered; what was recorded before somebody listened is folded silently.
 */
import type { ForeignRecord } from '../core/events/event.ts'
import type { Plan, Step } from '../core/plan/plan.ts'
import { msFromIso } from '../core/time.ts'
import type { HookError, HookEvents, HookGroups, NamedHook, StepEnd } from '../ports/hooks.ts'

type Bare<N extends keyof HookEvents> = Omit<HookEvents[N], 'context'>
/** Without its context, which is read only if somebody is told. */
export type BareHook = {
  readonly [N in keyof HookEvents]: { readonly name: N; readonly event: Bare<N> }
}[keyof HookEvents]

const RUN_ENDS = { RunCompleted: 'completed', RunFailed: 'failed', RunCancelled: 'cancelled' } as const

export class HookFold {
  readonly #steps: ReadonlyMap<string, Step>
  readonly #before: ReadonlyMap<string, string>
  readonly #correlationId: string
  readonly #starts = new Map<string, number>()
  #startedAt: number | undefined
  #status = 'PENDING'

  constructor(plan: Plan, correlationId: string) {
    this.#correlationId = correlationId
    this.#steps = new Map(plan.steps.map((step) => [step.stepId, step]))
    const ordered = plan.steps.toSorted((a, b) => a.order - b.order)
    this.#before = new Map(
      ordered.flatMap((step, at) => (at === 0 ? [] : [[step.stepId, ordered[at - 1]?.stepId ?? '']])),
    )
  }

  take(record: ForeignRecord): readonly BareHook[] {
    const at = msFromIso(record.emittedAt) ?? 0
    switch (record.eventType) {
      case 'RunStarted':
        this.#startedAt = at
        this.#status = 'RUNNING'
        return [{ name: 'execution.started', event: this.#base(record, {}) }]
      case 'RunPaused':
      case 'RunResumed':
        this.#status = record.eventType === 'RunPaused' ? 'PAUSED' : 'RUNNING'
        return []
      case 'StepStarted':
        return this.#stepStarted(record, at)
      case 'StepCompleted':
        return [this.#stepEnd(record, at, 'success')]
      case 'StepSkipped':
        return [this.#stepEnd(record, at, 'skipped')]
      case 'StepFailed':
        return this.#stepFailed(record, at)
      case 'RunCompleted':
      case 'RunFailed':
      case 'RunCancelled':
        return [this.#runEnd(record, at, RUN_ENDS[record.eventType])]
      default:
        return []
    }
  }

  #stepStarted(record: ForeignRecord, at: number): readonly BareHook[] {
    const slot = this.#slot(record)
    if (!this.#starts.has(slot)) this.#starts.set(slot, at)
    const step = this.#steps.get(record.stepId ?? '')
    const before = this.#before.get(record.stepId ?? '')
    const dependencies = step?.dependsOn ?? (before === undefined ? [] : [before])
    return [{ name: 'step.started', event: { ...this.#step(record, {}), dependencies } }]
  }

  /** A failure that a fallback follows is not the step's end; neither is one that is tried again. */
  #stepFailed(record: ForeignRecord, at: number): readonly BareHook[] {
    const payload = record.payload ?? {}
    const error = errorOf(payload)
    if (typeof payload['retryAt'] === 'string') {
      const delayMs = Math.max(0, (msFromIso(payload['retryAt']) ?? at) - at)
      const event = { ...this.#step(record, { delayMs }), attempt: record.logicalAttemptId, delayMs, error }
      return [{ name: 'step.retried', event }]
    }
    if (payload['fallback'] === true) return []
    if (error.code === 'CANCELLED') return [this.#stepEnd(record, at, 'cancelled', error)]
    const attempts = record.logicalAttemptId
    const failed = { name: 'step.failed', event: { ...this.#step(record, { attempts }), attempts, error } } as const
    return [this.#stepEnd(record, at, 'failure', error), failed]
  }

  #stepEnd(record: ForeignRecord, at: number, status: StepEnd, error?: HookError): BareHook {
    const duration = Math.max(0, at - (this.#starts.get(this.#slot(record)) ?? at))
    const attempts = record.logicalAttemptId
    const ended = { status, duration, attempts, ...(error === undefined ? {} : { error }) }
    return { name: 'step.completed', event: { ...this.#step(record, { duration, attempts }), ...ended } }
  }

  #runEnd(record: ForeignRecord, at: number, status: Bare<'execution.completed'>['status']): BareHook {
    this.#status = status.toUpperCase()
    const duration = Math.max(0, at - (this.#startedAt ?? at))
    const error = status === 'failed' ? { error: errorOf(record.payload ?? {}) } : {}
    return { name: 'execution.completed', event: { ...this.#base(record, { duration }), status, duration, ...error } }
  }

  /** A fallback belongs to its step: its end is the step's. */
  #slot(record: ForeignRecord): string {
    return record.itemIndex === undefined ? (record.stepId ?? '') : `${record.stepId ?? ''}[${record.itemIndex}]`
  }

  #step(record: ForeignRecord, metrics: HookGroups['metrics']): Omit<Bare<'step.failed'>, 'attempts' | 'error'> {
    const agent = this.#steps.get(record.stepId ?? '')?.agent
    return {
      ...this.#base(record, metrics),
      stepId: record.stepId ?? '',
      ...(agent === undefined ? {} : { agentId: agent }),
    }
  }

  #base(record: ForeignRecord, metrics: HookGroups['metrics']): Bare<'execution.started'> {
    const { tenantId, projectId, environmentId, planVersion, eventId, runSeq, itemIndex, role } = record
    const attempt = record.logicalAttemptId
    return {
      executionId: record.runId,
      workflowId: record.planId,
      correlationId: this.#correlationId,
      timestamp: record.emittedAt,
      metadata: {
        tenantId,
        projectId,
        environmentId,
        planVersion,
        eventId,
        runSeq,
        ...(itemIndex === undefined ? {} : { itemIndex }),
        ...(role === undefined ? {} : { role }),
      },
      state: {
        run: this.#status,
        ...(record.stepId === undefined ? {} : { attempt, engineAttempt: record.engineAttemptId }),
      },
      metrics,
    }
  }
}

function errorOf(payload: Readonly<Record<string, unknown>>): HookError {
  const { code, errorClass } = (payload['error'] ?? {}) as { readonly code?: unknown; readonly errorClass?: unknown }
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    ...(typeof errorClass === 'string' ? { errorClass } : {}),
  }
}

export function withContext(hook: BareHook, context: HookGroups['context']): NamedHook {
  return { name: hook.name, event: { ...hook.event, context } } as NamedHook
}
