/**
 * A run and its events as a store keeps them: the row with what lists and drivers need, and each event as its exact
 * bytes.
 */
import type { RunIdentity } from '../core/events/event.ts'
import type { StateSummary } from '../core/run/summary.ts'

/** The store's own integer for a run; events, inbox, context and blobs refer to it. */
export type RunKey = number

export interface RunRef {
  readonly tenantId: string
  readonly runId: string
}

/** One event as its exact bytes. `record` is canonical JSON without persistedAt, data, salt and chainHash (P-33). */
export interface SealedEvent {
  readonly runSeq: number
  readonly eventType: string
  /** 32 bytes; unique per run. */
  readonly idempotencyKey: Uint8Array
  readonly record: string
  /** Canonical JSON of the erasable part, with its 16-byte salt. Both or neither. */
  readonly data?: string
  readonly salt?: Uint8Array
  /** 32 bytes. */
  readonly chainHash: Uint8Array
  /** `<slot>#<attempt>` on StepCompleted, StepFailed and StepSkipped: unique per run, an assertion (P-09). */
  readonly terminalSlot?: string
}

/** A sealed event as read back. After erasure `data` and `salt` are absent. */
export interface StoredEvent extends SealedEvent {
  /** Epoch milliseconds of the store's own clock at write time (EVT-13). */
  readonly persistedAt: number
}

export interface RunParent {
  readonly runId: string
  readonly slot: string
  readonly attempt: number
}

/** What a run is found by: texts by name. */
export type RunLabels = Readonly<Record<string, string>>

/** Metadata written in the transaction of the run's first events (STO-12, STO-13). */
export interface NewRun extends RunIdentity {
  /** Hex SHA-256 of the plan's canonical bytes; the plan itself is stored once by hash. */
  readonly planSha256: string
  readonly engineType: string
  readonly engineRunRef: string
  /** Hex; unique per tenant. A second create with it returns `request-exists` (BPQ-06). */
  readonly requestKey?: string
  readonly originalRunId?: string
  readonly parent?: RunParent
  readonly triggeredBy?: string
}

/** What lists show and drivers need, kept in the append's transaction; always a fold of the log. */
export type RunSummary = StateSummary

export interface RunRow extends NewRun, RunSummary {
  readonly runKey: RunKey
  readonly epoch: number
  readonly nextSeq: number
  /** chainHash of the last event; 32 zero bytes before the first. */
  readonly headHash: Uint8Array
  readonly createdAt: number
  readonly updatedAt: number
  readonly lease?: { readonly owner: string; readonly until: number }
  /**
   * Consecutive drivers that vanished with their lease, before the current one; absent when the last one returned it.
   */
  readonly deaths?: number
  /** What its driver is about to do with it. Noted only for runs whose drivers died. */
  readonly doing?: string
  /** What the consecutive vanished drivers were doing with it; absent when the last did nothing. */
  readonly diedDoing?: readonly string[]
  /** Problem code that set this run aside; a quarantined run is not driven. */
  readonly quarantine?: string
  /** Its log was archived; only this row is left. */
  readonly archivedAt?: number
  /** The place of its bundle, as the archiving process named it. */
  readonly archivedTo?: string
}
