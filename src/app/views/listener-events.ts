/**
 * The six listener events as a fold of a run's log (OBS-01, OBS-10): records enter one by one, in order, and each gives
 * its events. Only starts are remembered; records from before the first listener are folded silently.
 */
import type { RunIdentity } from '../../core/events/event.ts'
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
import { parseStepSlot } from '../../core/events/slot.ts'

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

/** An event as the fold takes it: a record that was read, or what this process has just written. */
export interface HeardEvent {
  readonly eventType: string
  readonly eventId: string
  readonly runSeq: number
  readonly emittedAt: string
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly stepId?: string | undefined
  readonly itemIndex?: number | undefined
  readonly role?: 'fallback' | undefined
  readonly payload?: object | undefined
}

/** Of the steps of a plan, what is told with each of them. */
interface ToldSteps {
  readonly steps: ReadonlyMap<string, Step>
  /** The step that comes before each in the order of the plan. */
  readonly before: ReadonlyMap<string, string>
}

/** Made once for each plan: many runs have the same. */
const toldSteps = new WeakMap<Plan['steps'], ToldSteps>()

function toldStepsOf(steps: Plan['steps']): ToldSteps {
  const known = toldSteps.get(steps)
  if (known !== undefined) return known
  const ordered = steps.toSorted((a, b) => a.order - b.order)
  const made = {
    steps: new Map(steps.map((step) => [step.stepId, step])),
    before: new Map(ordered.flatMap((step, at) => (at === 0 ? [] : [[step.stepId, ordered[at - 1]?.stepId ?? '']]))),
  }
  toldSteps.set(steps, made)
  return made
}

export const isHeard = (eventType: string): boolean => HEARD.has(eventType)

export class ListenerFold {
  readonly #told: ToldSteps
  readonly #identity: RunIdentity
  readonly #correlationId: string
  readonly #starts = new Map<string, number>()
  #startedAt: number | undefined
  #status = 'PENDING'

  /** A plan that cannot be read has no steps to tell of: then steps are told without agent and dependencies. */
  constructor({ steps }: Pick<Plan, 'steps'>, identity: RunIdentity, correlationId: string) {
    this.#told = toldStepsOf(steps)
    this.#identity = identity
    this.#correlationId = correlationId
  }

  take(record: HeardEvent): readonly BareListenerEvent[] {
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

  #stepStarted(record: HeardEvent, at: number): readonly BareListenerEvent[] {
    const slot = this.#slot(record)
    if (!this.#starts.has(slot)) this.#starts.set(slot, at)
    const about = this.#step(record, {})
    const before = this.#told.before.get(about.stepId)
    const dependencies = this.#told.steps.get(about.stepId)?.dependsOn ?? (before === undefined ? [] : [before])
    return [{ name: 'step.started', event: { ...about, dependencies } }]
  }

  /** A failure followed by a fallback or a retry is not the end of the step. */
  #stepFailed(record: HeardEvent, at: number): readonly BareListenerEvent[] {
    const payload = (record.payload ?? {}) as Fields
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

  #stepEnd(record: HeardEvent, at: number, status: StepEnd, error?: ListenerError): BareListenerEvent {
    const duration = Math.max(0, at - (this.#starts.get(this.#slot(record)) ?? at))
    const attempts = record.logicalAttemptId
    const ended = { status, duration, attempts, ...(error === undefined ? {} : { error }) }
    return { name: 'step.completed', event: { ...this.#step(record, { duration, attempts }), ...ended } }
  }

  #runEnd(record: HeardEvent, at: number, status: Bare<'execution.completed'>['status']): BareListenerEvent {
    this.#status = status.toUpperCase()
    const duration = Math.max(0, at - (this.#startedAt ?? at))
    const error = status === 'failed' ? { error: errorOf((record.payload ?? {}) as Fields) } : {}
    return { name: 'execution.completed', event: { ...this.#base(record, { duration }), status, duration, ...error } }
  }

  /** A fallback belongs to its step: its end is the end of the step. */
  #slot(record: HeardEvent): string {
    return (record.stepId ?? '').replace(/^FALLBACK:/, '')
  }

  #step(record: HeardEvent, metrics: ListenerGroups['metrics']): Omit<Bare<'step.failed'>, 'attempts' | 'error'> {
    const stepId = (record.stepId === undefined ? undefined : parseStepSlot(record.stepId)?.stepId) ?? ''
    const agent = this.#told.steps.get(stepId)?.agent
    return {
      ...this.#base(record, metrics),
      stepId,
      ...(agent === undefined ? {} : { agentId: agent }),
    }
  }

  #base(record: HeardEvent, metrics: ListenerGroups['metrics']): Bare<'execution.started'> {
    const { runId, tenantId, projectId, environmentId, planId, planVersion } = this.#identity
    const { eventId, runSeq, itemIndex, role } = record
    const attempt = record.logicalAttemptId
    return {
      executionId: runId,
      workflowId: planId,
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

type Fields = Readonly<Record<string, unknown>>

function errorOf(payload: Fields): ListenerError {
  const { code, errorClass } = (payload['error'] ?? {}) as { readonly code?: unknown; readonly errorClass?: unknown }
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    ...(typeof errorClass === 'string' ? { errorClass } : {}),
  }
}

export function withContext(told: BareListenerEvent, context: ListenerGroups['context']): ListenerEvent {
  return { name: told.name, event: { ...told.event, context } } as ListenerEvent
}
