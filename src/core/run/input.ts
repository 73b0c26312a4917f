/**
 * What may come in to a decision. Each input carries the instant and the epoch it is decided under; whatever was
 * looked up or evaluated outside (facts, authorisation, output checks) arrives here as data (P-02, P-05).
 */
import type { ArtifactRef, ErrorInfo, EventData, Payload } from '../events/event.ts'
import type { Timer } from '../collections/timer-heap.ts'

/** What evaluating a ready step's expressions gave. A problem makes the step fail. */
export interface SlotFacts {
  readonly condition?: boolean
  readonly items?: { readonly count: number; readonly sha256: string; readonly ref: string }
  readonly waitForMs?: number
  readonly waitUntil?: number
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
      readonly evidenceRefs?: readonly string[]
      /** A person's word is final whatever the retry policy says (MAN-09). */
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
  readonly items?: Payload<'FanOutExpanded'>
  readonly artifactRefs: readonly ArtifactRef[]
  readonly data?: EventData
  readonly resultRef?: { readonly sha256: string; readonly sizeBytes: number }
  /** What the step had written into the context; the values are in `data`. */
  readonly captures?: NonNullable<Payload<'StepCompleted'>['captures']>
  /** Its condition was false in the earlier run; there is no result. */
  readonly skipped?: { readonly reason: string }
}

export type StartDetails = Omit<
  Payload<'RunStarted'>,
  'status' | 'startedAt' | 'epoch' | 'runTimeoutAt' | 'rulesVersion' | 'maxInFlight'
> & {
  readonly maxInFlight?: number
  /** Pinned by the log that is read; today's when absent. */
  readonly rulesVersion?: number
}

export type StartLater = Pick<Payload<'RunQueued'>, 'correlationId' | 'triggerSource'>

export type InputBody =
  | {
      readonly kind: 'admit'
      readonly policy: 'START' | 'QUEUE' | 'DELAY'
      readonly notBefore?: number
      /** The run's input, or where it lies when it is too large to be inline (P-43). */
      readonly runInput?: unknown
      readonly inputRef?: { readonly sha256: string; readonly sizeBytes: number }
      readonly autoApprove: boolean
      /** Kept for the start of a run that somebody else starts later (CTX-05). */
      readonly forStart?: StartLater
      readonly report?: Payload<'RunValidated'>
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
  | { readonly kind: 'timer'; readonly timer: Timer | 'grace' | 'run-timeout' | 'not-before' }
  | {
      readonly kind: 'child'
      readonly slot: string
      readonly attempt: number
      readonly childRunId: string
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
 * What is known of grants before the claim itself (docs/adr/0002-grants.md). A slot that wants a held pool from that
 * amount on does not start, unless it is to be tried; one that can never be granted fails at once.
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
  /** Absent: everything wanted is taken to be had; the claim in the commit has the last word. */
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
      /** The texts of its manual task are mapped: whether they can be. */
      readonly manual: boolean
    }
  | { readonly kind: 'output'; readonly slot: 'RUN' }
