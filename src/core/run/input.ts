/**
 * What may come in to a decision. Each input carries the instant and the epoch it is decided under; whatever was
 * looked up or evaluated outside (facts, authorisation, output checks) arrives here as data (P-02, P-05).
 */
import type { ArtifactRef, ErrorInfo, EventData, Payload } from '../events/event.ts'
import type { Timer } from '../collections/timer-heap.ts'
import type { People } from './state/people.ts'

/** The recorded list of a fan-out; its event adds whose it is. */
export type ExpandedList = Omit<Payload<'FanOutExpanded'>, 'stepId'>

/** What evaluating a ready step's expressions gave. A problem makes the step fail. */
export interface SlotFacts {
  readonly condition?: boolean
  readonly items?: ExpandedList
  readonly waitForMs?: number
  readonly waitUntil?: number
  /** The key of the event that the step waits for. */
  readonly eventKey?: string
  /** Is an event that came what the step waits for? */
  readonly match?: boolean
  /** Result of the run's output mapping; the value itself goes into data. */
  readonly output?: unknown
  readonly outputRef?: { readonly sha256: string; readonly sizeBytes: number }
  readonly problem?: { readonly code: string; readonly message: string }
}

export type Outcome =
  | {
      readonly kind: 'completed'
      readonly payload: Omit<Payload<'StepCompleted'>, 'completedAt' | 'reusedFrom' | 'mayHaveRunTwice'>
      readonly data?: EventData
    }
  | {
      readonly kind: 'failed'
      readonly error: ErrorInfo
      readonly data?: EventData
      readonly artifactRefs?: readonly ArtifactRef[]
      readonly durationMs?: number
      readonly buildId?: string
      readonly actorId?: string
      readonly actorRoles?: readonly string[]
      readonly evidenceRefs?: readonly string[]
      /** A person's decision is final, whatever the retry policy says (MAN-09). */
      readonly final?: true
    }

export interface Authorization {
  readonly allowed: boolean
  readonly policyDecisionId: string
  readonly actorId?: string
  readonly actorRole?: string
  /** Why it was refused, or that the payload is not valid. */
  readonly reasonCode?: string
  readonly reason?: string
}

/** A result of an earlier run that a fork takes over instead of running the step again. */
export interface ReusedResult {
  readonly slot: string
  readonly runId: string
  readonly runSeq: number
  readonly ownerRunId: string
  /** Attempt that did the work in the owner's run, as far as it is known. */
  readonly attempt?: number
  /** A fan-out whose items are taken over one by one: its recorded list. */
  readonly items?: ExpandedList
  /** Who completed it, where it is a manual task. */
  readonly actorId?: string
  readonly artifactRefs: readonly ArtifactRef[]
  readonly data?: EventData
  readonly resultRef?: { readonly sha256: string; readonly sizeBytes: number }
  /** What the step had written into the context; the values are in `data`. */
  readonly captures?: NonNullable<Payload<'StepCompleted'>['captures']>
  /** A condition was false in the earlier run; there is no result. */
  readonly skipped?: Pick<Payload<'StepSkipped'>, 'reason' | 'reasonCode'>
}

export type StartDetails = Omit<
  Payload<'RunStarted'>,
  'status' | 'startedAt' | 'epoch' | 'runTimeoutAt' | 'rulesVersion' | 'maxInFlight'
> & {
  readonly maxInFlight?: number
  /** Pinned by the log that is read; today's when absent. */
  readonly rulesVersion?: number
}

/** What the row of a run says of where it comes from, and its first event too. */
export type RunOrigin = NonNullable<Payload<'RunApproved'>['origin']>

/** The bytes that a plan was made of, before they were read. */
export type PlanSource = NonNullable<RunOrigin['planSource']>

export type StartLater = Pick<
  Payload<'RunQueued'>,
  | 'correlationId'
  | 'triggerSource'
  | 'triggeredBy'
  | 'inherited'
  | 'children'
  | 'locked'
  | 'approved'
  | 'namesAsked'
  | 'rulesVersion'
>

export type InputBody =
  | {
      readonly kind: 'admit'
      readonly policy: 'START' | 'QUEUE' | 'DELAY'
      readonly notBefore?: number
      /** The run's input, or where it lies when it is too large to be inline (P-43). */
      readonly runInput?: unknown
      readonly inputRef?: { readonly sha256: string; readonly sizeBytes: number }
      /** Later than now for a run that waits: until then it is PENDING (BPQ-03). True with a queue is only in older logs. */
      readonly autoApprove: boolean | 'at-start'
      /** Kept for the start of a run that somebody else starts later (CTX-05). */
      readonly forStart?: StartLater
      readonly report?: Payload<'RunValidated'>
      readonly origin?: RunOrigin
    }
  | { readonly kind: 'approve'; readonly approvedBy: string }
  | {
      readonly kind: 'start'
      readonly details: StartDetails
      /** Set when the plan's bytes do not have the pinned hash: nothing may start (PLN-06). */
      readonly integrityFailure?: { readonly message: string }
      readonly reuse?: readonly ReusedResult[]
      /** A pause of the run's plan, tenant or fleet is in force: the run starts paused (P-23). */
      readonly pausedBy?: { readonly scope: string; readonly reason?: string }
    }
  | {
      readonly kind: 'outcome'
      readonly slot: string
      readonly attempt: number
      readonly engineAttempt: number
      readonly outcome: Outcome
      /** It was sent out under an earlier epoch, and another driver has the attempt by now: recorded, never taken. */
      readonly stale?: boolean
      /** For a manual task: how often the run had been changed when the person was asked. */
      readonly seenChanges?: number
      /** For a manual task with mapped assignees: this person is not one of them. */
      readonly notAssigned?: true
    }
  | {
      readonly kind: 'signal'
      readonly signalId: string
      readonly signalType: string
      readonly payload: Readonly<Record<string, unknown>>
      readonly authorization: Authorization
    }
  | {
      readonly kind: 'scope'
      readonly pauseId: string
      readonly scope: string
      readonly active: boolean
      readonly reason?: string
    }
  | { readonly kind: 'timer'; readonly timer: Timer | 'grace' | 'run-timeout' | 'drain' | 'not-before' }
  | {
      readonly kind: 'child'
      readonly slot: string
      readonly attempt: number
      readonly childRunId: string
      readonly outcome: Outcome
      /** Who did what in the child run. */
      readonly people?: People
    }
  | {
      readonly kind: 'event'
      readonly eventId: string
      readonly sentAt: string
      /** The wait that it was sent to. */
      readonly slot: string
      readonly attempt: number
      /** Made from the event's data. If the wait has a `match`, it was true, and its fact is in the data. */
      readonly outcome: Outcome
    }
  | { readonly kind: 'grant'; readonly slot: string }
  | { readonly kind: 'adopt'; readonly claims: readonly { readonly slot: string; readonly attempt: number }[] }
  | { readonly kind: 'handoff'; readonly payload: Omit<Payload<'EngineHandoff'>, 'epoch'> }
  | { readonly kind: 'upgrade'; readonly to: number }
  | { readonly kind: 'fork'; readonly payload: Payload<'RunForked'> }
  | { readonly kind: 'erase'; readonly payload: Payload<'ErasureRecorded'>; readonly notes?: string }
  | { readonly kind: 'continue'; readonly cause: string; readonly facts: ReadonlyMap<string, SlotFacts> }

/**
 * What is known of grants before the claim itself (docs/adr/0002-grants.md). A slot that wants at least the held amount of a pool
 * does not start, unless it is to be tried. A slot that can never get its units fails at once.
 */
export interface GrantsAtHand {
  readonly held: ReadonlyMap<string, number>
  readonly tried: ReadonlySet<string>
  /** Messages by slot (RES-06). */
  readonly impossible: ReadonlyMap<string, string>
}

export type Input = InputBody & {
  readonly now: number
  readonly epoch: number
  /** Absent: all wanted units are assumed to be free; the claim in the commit decides. */
  readonly grants?: GrantsAtHand
  /** Number the first event of this decision will get; the log's head + 1 unless the store burned numbers. */
  readonly nextSeq?: number
  /** How many events this decision may still write; more continue on the next turn (P-11). Default 500. */
  readonly room?: number
}

/** The cause recorded with every event of the decision (P-14). */
export function causeOf(input: InputBody, timerText: (timer: Timer) => string): string {
  switch (input.kind) {
    case 'outcome':
      return `outcome:${input.slot}:${input.attempt}:${input.engineAttempt}`
    case 'signal':
      return `signal:${input.signalId}`
    case 'scope':
      return `scope:${input.pauseId}`
    case 'timer':
      return `timer:${typeof input.timer === 'string' ? input.timer : timerText(input.timer)}`
    case 'child':
      return `child:${input.childRunId}`
    case 'event':
      return `event:${input.eventId}`
    case 'grant':
      return `grant:${input.slot}`
    case 'continue':
      return input.cause
    default:
      return input.kind
  }
}

/** What a decision still has to be told before it can go on. */
export type Need =
  | {
      readonly kind: 'step'
      readonly slot: string
      readonly stepId: string
      readonly condition: boolean
      readonly items: boolean
      readonly wait: boolean
      /** Whether the mapped texts of its manual task can be made. */
      readonly manual: boolean
    }
  | { readonly kind: 'output'; readonly slot: 'RUN' }
