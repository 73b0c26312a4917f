/**
 * Every event of the log: its type, its envelope, and the two shapes (write and record). Only the table EVENTS says at
 * which level an event is and who emits it.
 */
import type { TypeOf } from '../schema/shape.ts'
import type { DATA_SHAPES } from './data-fields.ts'
import type { PAYLOADS, artifactRef, errorInfo } from './payloads.ts'

export type EventType = keyof typeof PAYLOADS
export type Payload<T extends EventType> = TypeOf<(typeof PAYLOADS)[T]>
export type EventData = { readonly [K in keyof typeof DATA_SHAPES]?: TypeOf<(typeof DATA_SHAPES)[K]> }
export type ArtifactRef = TypeOf<typeof artifactRef>
export type ErrorInfo = TypeOf<typeof errorInfo>
export type ErrorClass = ErrorInfo['errorClass']

export type EmittedBy = 'engine' | 'planner' | 'activity-worker' | 'system' | 'authorization' | 'admission'

/**
 * `step`: its `stepId` is the step's slot. `run`: no `stepId`; an extension that concerns a step names its slot in the payload (P-52).
 */
export type EventLevel = 'step' | 'run'

export const EVENTS = {
  RunQueued: { level: 'run', emittedBy: 'admission', canonical: true },
  RunValidated: { level: 'run', emittedBy: 'admission', canonical: false },
  RunApproved: { level: 'run', emittedBy: 'planner', canonical: true },
  RunStarted: { level: 'run', emittedBy: 'engine', canonical: true },
  StepStarted: { level: 'step', emittedBy: 'activity-worker', canonical: true },
  StepCompleted: { level: 'step', emittedBy: 'activity-worker', canonical: true },
  StepFailed: { level: 'step', emittedBy: 'activity-worker', canonical: true },
  StepSkipped: { level: 'step', emittedBy: 'engine', canonical: true },
  SignalAccepted: { level: 'run', emittedBy: 'authorization', canonical: true },
  SignalRejected: { level: 'run', emittedBy: 'authorization', canonical: true },
  RunPaused: { level: 'run', emittedBy: 'engine', canonical: true },
  RunResumed: { level: 'run', emittedBy: 'engine', canonical: true },
  RunCompleted: { level: 'run', emittedBy: 'engine', canonical: true },
  RunFailed: { level: 'run', emittedBy: 'engine', canonical: true },
  RunCancelled: { level: 'run', emittedBy: 'engine', canonical: true },
  ManualTaskOpened: { level: 'run', emittedBy: 'engine', canonical: false },
  FanOutExpanded: { level: 'run', emittedBy: 'engine', canonical: false },
  CompensationStarted: { level: 'run', emittedBy: 'activity-worker', canonical: false },
  CompensationCompleted: { level: 'run', emittedBy: 'activity-worker', canonical: false },
  CompensationFailed: { level: 'run', emittedBy: 'activity-worker', canonical: false },
  AlertRaised: { level: 'run', emittedBy: 'system', canonical: false },
  AlertEscalated: { level: 'run', emittedBy: 'system', canonical: false },
  RunForked: { level: 'run', emittedBy: 'engine', canonical: false },
  EngineHandoff: { level: 'run', emittedBy: 'engine', canonical: false },
  RulesUpgraded: { level: 'run', emittedBy: 'engine', canonical: false },
  LateOutcomeRecorded: { level: 'run', emittedBy: 'activity-worker', canonical: false },
  ErasureRecorded: { level: 'run', emittedBy: 'system', canonical: false },
} as const satisfies Record<EventType, { level: EventLevel; emittedBy: EmittedBy; canonical: boolean }>

export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[]

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENTS, text)
}

export interface Decision {
  /** runSeq of the first event of this decision. */
  readonly firstSeq: number
  /** `start`, `signal:<id>`, `outcome:<effectId>`, `timer:<id>`, `child:<runId>`, `adopt` … (P-14). */
  readonly cause: string
}

/** The same for all events of a run. */
export interface RunIdentity {
  readonly runId: string
  readonly tenantId: string
  readonly projectId: string
  readonly environmentId: string
  readonly planId: string
  readonly planVersion: string
}

interface EnvelopeFields extends RunIdentity {
  readonly eventId: string
  readonly idempotencyKey: string
  readonly emittedAt: string
  readonly emittedBy: EmittedBy
  readonly occurredAt?: string
  /** The attempt part of the key: logical attempt, pause cycle, opening … */
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly causedBySignalId?: string
}

interface StepFields {
  /** The slot: `pay`, `pay[3]`, `FALLBACK:pay`, `FALLBACK:pay[3]` (P-52). A reader that knows nothing else keeps them apart. */
  readonly stepId: string
  /** For an item or a fallback: the step of the plan. */
  readonly parentStepId?: string
  readonly itemIndex?: number
  readonly role?: 'fallback'
}
interface NoStepFields {
  readonly stepId?: never
  readonly parentStepId?: never
  readonly itemIndex?: never
  readonly role?: never
}
type LevelFields<T extends EventType> = (typeof EVENTS)[T]['level'] extends 'step' ? StepFields : NoStepFields

export type WriteOf<T extends EventType> = EnvelopeFields &
  LevelFields<T> & { readonly eventType: T; readonly payload: Payload<T>; readonly data?: EventData }

/** What a producer passes: no runSeq, no persistedAt, no decision, no hashes (EVT-09). */
export type RunEventWrite = { [T in EventType]: WriteOf<T> }[EventType]

interface RecordFields {
  readonly runSeq: number
  readonly persistedAt: string
  readonly decision: Decision
  readonly salt?: string
  readonly dataHash?: string
  readonly chainHash: string
}
export type RecordOf<T extends EventType> = WriteOf<T> & RecordFields

/** What a store returns: the write plus the fields of the append path (P-14). */
export type RunEventRecord = { [T in EventType]: RecordOf<T> }[EventType]

/** A record for a lenient reader: maybe of a later version, with types and fields we do not know. */
export type LogRecord = EnvelopeFields &
  Partial<StepFields> &
  RecordFields & {
    readonly eventType: string
    readonly payload?: Readonly<Record<string, unknown>>
    readonly data?: Readonly<Record<string, unknown>>
  }
