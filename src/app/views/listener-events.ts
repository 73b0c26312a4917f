/**
 * The six listener events as a fold of a run's log (OBS-01, OBS-10): records enter one by one, in order, and each gives
 * its events. Only starts are remembered; records from before the first listener are folded silently.
 */
import type { LogRecord } from '../../core/events/event.ts'
import type { Plan, Step } from '../../core/plan/plan.ts'
import { msFromIso } from '../../core/time.ts'
import type {
  BareListenerEvent,
  ListenerError,
  ListenerEvents,
  ListenerGroups,
  ListenerEvent,
  StepEnd,
} from '../../ports/listeners.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

type Bare<N extends keyof ListenerEvents> = Omit<ListenerEvents[N], 'context'>

const RUN_ENDS = { RunCompleted: 'completed', RunFailed: 'failed', RunCancelled: 'cancelled' } as const

/** What the fold looks at; an event of another type need not be read for it. */
const HEARD: ReadonlySet<string> = new Set([
  'RunStarted',
  'RunPaused',
  'RunResumed',
  'StepStarted',
  'StepCompleted',
  'StepSkipped',
  'StepFailed',
  ...Object.keys(RUN_ENDS),
])

export const isHeard = (eventType: string): boolean => HEARD.has(eventType)

export class ListenerFold {
  readonly #steps: ReadonlyMap<string, Step>
  readonly #before: ReadonlyMap<string, string>
  readonly #correlationId: string
  readonly #starts = new Map<string, number>()
  #startedAt: number | undefined
  #status = 'PENDING'

  /** A plan that cannot be read has no steps to tell of: then steps are told without agent and dependencies. */
  constructor(plan: Pick<Plan, 'steps'>, correlationId: string) {
    this.#correlationId = correlationId
    this.#steps = new Map(plan.steps.map((step) => [step.stepId, step]))
    const ordered = plan.steps.toSorted((a, b) => a.order - b.order)
    this.#before = new Map(
      ordered.flatMap((step, at) => (at === 0 ? [] : [[step.stepId, ordered[at - 1]?.stepId ?? '']])),
    )
  }

  take(record: LogRecord): readonly BareListenerEvent[] {
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

  #stepStarted(record: LogRecord, at: number): readonly BareListenerEvent[] {
    const slot = this.#slot(record)
    if (!this.#starts.has(slot)) this.#starts.set(slot, at)
    const step = this.#steps.get(planStepOf(record) ?? '')
    const before = this.#before.get(planStepOf(record) ?? '')
    const dependencies = step?.dependsOn ?? (before === undefined ? [] : [before])
    return [{ name: 'step.started', event: { ...this.#step(record, {}), dependencies } }]
  }

  /** A failure followed by a fallback or a retry is not the end of the step. */
  #stepFailed(record: LogRecord, at: number): readonly BareListenerEvent[] {
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

  #stepEnd(record: LogRecord, at: number, status: StepEnd, error?: ListenerError): BareListenerEvent {
    const duration = Math.max(0, at - (this.#starts.get(this.#slot(record)) ?? at))
    const attempts = record.logicalAttemptId
    const ended = { status, duration, attempts, ...(error === undefined ? {} : { error }) }
    return { name: 'step.completed', event: { ...this.#step(record, { duration, attempts }), ...ended } }
  }

  #runEnd(record: LogRecord, at: number, status: Bare<'execution.completed'>['status']): BareListenerEvent {
    this.#status = status.toUpperCase()
    const duration = Math.max(0, at - (this.#startedAt ?? at))
    const error = status === 'failed' ? { error: errorOf(record.payload ?? {}) } : {}
    return { name: 'execution.completed', event: { ...this.#base(record, { duration }), status, duration, ...error } }
  }

  /** A fallback belongs to its step: its end is the end of the step. */
  #slot(record: LogRecord): string {
    return (record.stepId ?? '').replace(/^FALLBACK:/, '')
  }

  #step(record: LogRecord, metrics: ListenerGroups['metrics']): Omit<Bare<'step.failed'>, 'attempts' | 'error'> {
    const agent = this.#steps.get(planStepOf(record) ?? '')?.agent
    return {
      ...this.#base(record, metrics),
      stepId: planStepOf(record) ?? '',
      ...(agent === undefined ? {} : { agentId: agent }),
    }
  }

  #base(record: LogRecord, metrics: ListenerGroups['metrics']): Bare<'execution.started'> {
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

function errorOf(payload: Readonly<Record<string, unknown>>): ListenerError {
  const { code, errorClass } = (payload['error'] ?? {}) as { readonly code?: unknown; readonly errorClass?: unknown }
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    ...(typeof errorClass === 'string' ? { errorClass } : {}),
  }
}

export function withContext(told: BareListenerEvent, context: ListenerGroups['context']): ListenerEvent {
  return { name: told.name, event: { ...told.event, context } } as ListenerEvent
}
