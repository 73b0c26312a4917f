/**
 * What the product asks of a store. Bytes are sealed (hashed, keyed, numbered) before they come here; a store keeps
 * them exactly, compares and sets, and never decides. Every look-up by an outside id carries the tenant.
 */
import type { RunStatus } from '../core/run/state/transitions.ts'
import type { AdmissionStore } from './admission.ts'
import type { ApiKeyStore } from './api-keys.ts'
import type { ArchiveStore } from './archive.ts'
import type { AuditLog } from './audit-log.ts'
import type { DecisionStore } from './decisions.ts'
import type { EventStore, EventWaitChanges } from './events.ts'
import type { EvidenceStore } from './evidence.ts'
import type { FeedStore } from './feed.ts'
import type { FleetStore } from './fleet.ts'
import type { GrantRefusal, GrantRelease, GrantRequest, GrantStore } from './grants.ts'
import type { IdempotencyStore, SessionStore } from './idempotency.ts'
import type { LeaseRenewal } from './loop-guard.ts'
import type { PlanStore } from './plan-store.ts'
import type { PauseStore, ScopePause } from './scope-pauses.ts'
import type { ScheduleStore } from './schedules.ts'
import type { TriggerStore } from './triggers.ts'
import type { ViewStore } from './views.ts'
import type { WorkStore } from './work.ts'
import type { ContextWrite, InboxInsert, InboxRow, CheckpointKind, StepClaim, StoredCheckpoint } from './run-sides.ts'
import type {
  NewRun,
  RunKey,
  RunLabels,
  RunParent,
  RunRef,
  RunRow,
  RunSummary,
  SealedEvent,
  StoredEvent,
} from './stored-run.ts'

export type { ContextWrite, InboxInsert, InboxRow, CheckpointKind, StepClaim, StoredCheckpoint }
export type { NewRun, RunKey, RunLabels, RunParent, RunRef, RunRow, RunStatus, RunSummary, SealedEvent, StoredEvent }

/** `duplicate`: same id, same body. `conflict`: same id, other body (SIGNAL_DUPLICATE). */
export type InboxAnswer =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'duplicate'; readonly row: InboxRow }
  | { readonly kind: 'conflict'; readonly row: InboxRow }

/** The row as its driver knows it. A store may compare it while it writes; it must not rely on it. */
export interface KnownRow {
  readonly tenantId: string
  readonly summary: RunSummary
}

/** Everything one run produced in one turn: it is committed whole or not at all (P-08). */
export interface RunCommit {
  /** The run's key; for a new run omit it and give `create`. */
  readonly runKey?: RunKey
  readonly create?: NewRun
  /** Of a new run: what it is found by. */
  readonly labels?: RunLabels
  readonly expected: {
    readonly epoch: number
    readonly nextSeq: number
    /**
     * The row's next wake-up, null for none. Given where neither events nor inbox rows show that another process took a
     * turn in the meantime: a late commit must not overwrite a newer time with its older one. Omitted: not compared.
     */
    readonly nextWakeAt?: number | null
  }
  /** Adoption, hand-off, restore: the epoch after this commit. Default: unchanged. */
  readonly newEpoch?: number
  /**
   * The turn was decided without reading the run's inbox or the pauses of its scope (P-53). Refused with `unread` when there is
   * an inbox row that no commit has consumed, or an active pause that covers the run.
   */
  readonly unread?: true
  readonly known?: KnownRow
  /** May be empty (adoption). runSeq of the first is expected.nextSeq; numbers are contiguous. */
  readonly events: readonly SealedEvent[]
  readonly summary: RunSummary
  /** Inbox rows that this commit consumed, each with the seq of the first event it caused (or expected.nextSeq). */
  readonly consumed?: readonly { readonly inboxId: string; readonly seq: number }[]
  readonly context?: readonly ContextWrite[]
  /** Rows for other runs' inboxes, e.g. a child's end for its parent (P-29). Unknown runs are ignored. */
  readonly notify?: readonly { readonly run: RunRef; readonly row: InboxInsert }[]
  /** Blobs that the events refer to, in the same transaction: a run that does not exist yet has no key for putBlob. */
  readonly blobs?: readonly { readonly sha256: string; readonly text: string }[]
  /** Sets the run's lease in the same transaction, e.g. for the process that creates it. Default: unchanged. */
  readonly lease?: { readonly owner: string; readonly until: number }
  /**
   * Start or hand-off on an outside engine: the engine of the run from this commit on, and the engine's own name for
   * it.
   */
  readonly engine?: { readonly engineType: string; readonly engineRunRef: string }
  /** Units freed, before anything is claimed. `all`: the run has ended, and everything it holds is freed. */
  readonly releases?: readonly GrantRelease[] | 'all'
  /** Units that this commit's StepStarteds need. One that is unavailable refuses the whole commit (P-09). */
  readonly claims?: readonly GrantRequest[]
  /** All slots of the run that wait for grants after this commit. Absent: unchanged. */
  readonly waits?: readonly GrantRequest[]
  /** Waits for events that it opens and ends. A kept event that one of the opened waits for is put into the run's inbox. */
  readonly eventWaits?: EventWaitChanges
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly runKey: RunKey; readonly persistedAt: number }
  /** Epoch or next_seq moved: fold again and decide again. */
  | { readonly kind: 'conflict' }
  /** What the turn had not read, as of this transaction; nothing of this run was written. Decide again with it. */
  | { readonly kind: 'unread'; readonly inboxRows: readonly InboxRow[]; readonly pauses: readonly ScopePause[] }
  | { readonly kind: 'run-exists' }
  | { readonly kind: 'request-exists'; readonly runId: string }
  /** All claims that could not be granted; nothing of this run was written. Decide again without them. */
  | { readonly kind: 'ungranted'; readonly refused: readonly GrantRefusal[] }
  /** A unique index refused what compare-and-set allowed: a defect; the caller quarantines the run (P-09). */
  | { readonly kind: 'constraint'; readonly detail: string }

export interface OpenWrite {
  /** Hex key, and the content that "same key, other content" compares: `eventContent` of the write (P-15). */
  readonly idempotencyKey: string
  readonly content: string
}
export interface OpenAppendResult {
  readonly runSeq: number
  readonly eventId: string
  readonly persistedAt: number
  readonly idempotent: boolean
  readonly persisted: boolean
  /** Same key, other content: the first is kept (IDM-13). */
  readonly conflict?: true
}

export interface ListFilter {
  readonly status?: readonly RunStatus[]
  readonly planId?: string
  readonly createdFrom?: number
  readonly createdTo?: number
  readonly originalRunId?: string
  /** Code of the root cause of a failed run. */
  readonly errorCode?: string
  readonly triggeredBy?: string
  /** Runs that have all of these labels. */
  readonly labels?: RunLabels
}
export interface ListedPage {
  readonly limit: number
  readonly cursor?: string
  /** Oldest first; otherwise newest first. A cursor is of the order in which it was given. */
  readonly oldestFirst?: boolean
}

export interface ListPage {
  readonly runs: readonly RunRow[]
  /** Opaque; pass it for the next page. Stable while runs are added. */
  readonly next?: string
}

/** What a store says about itself, checked by a test (STO-23). */
export interface StoreManifest {
  readonly name: string
  readonly durable: boolean
  readonly duplicates: string
  readonly sequence: string
  readonly orphans: string
}

/** What a server keeps beside the runs. */
export interface ServerStore
  extends
    AdmissionStore,
    ApiKeyStore,
    IdempotencyStore,
    SessionStore,
    DecisionStore,
    AuditLog,
    ScheduleStore,
    TriggerStore,
    ViewStore,
    FleetStore,
    WorkStore {}

export interface RunStore
  extends GrantStore, EventStore, FeedStore, ArchiveStore, EvidenceStore, PlanStore, PauseStore, ServerStore {
  readonly manifest: StoreManifest
  /** How a separate thread renews leases while this one is stuck; absent where no other thread reaches the store. */
  readonly leaseRenewal?: LeaseRenewal
  /** How many batches of different runs may be on their way to it at once; default 1. */
  readonly commitsAtOnce?: number

  /**
   * One transaction for all, atomic per run: a run that loses its compare-and-set does not affect the others. Rejects
   * (KeelsonError STORE_…) when the whole batch failed or its fate is unknown (P-10).
   */
  commit(batch: readonly RunCommit[]): Promise<readonly CommitResult[]>

  /**
   * The open append (P-15; store suite and import only): locks the run, skips keys that exist, numbers the rest in
   * batch order, all or nothing. `seal` is called with the head and the number of each new write.
   */
  appendOpen<W extends OpenWrite>(
    run: RunRef,
    writes: readonly W[],
    seal: (write: W, runSeq: number, previous: Uint8Array) => SealedEvent,
  ): Promise<readonly OpenAppendResult[]>

  findRun(run: RunRef): Promise<RunRow | undefined>
  findRunByRequest(tenantId: string, requestKey: string): Promise<RunRow | undefined>
  findRunByEngineRef(tenantId: string, engineRunRef: string): Promise<RunRow | undefined>
  /** For drivers, which work across tenants by the store's own key. */
  getRun(runKey: RunKey): Promise<RunRow | undefined>
  listRuns(tenantId: string, filter: ListFilter, page: ListedPage): Promise<ListPage>
  /** How many runs a tenant has in each status, kept without a hot row (P-41). Statuses without runs may be absent. */
  countRuns(tenantId: string): Promise<ReadonlyMap<RunStatus, number>>
  quarantine(runKey: RunKey, code: string): Promise<void>
  /**
   * Removes this quarantine code and the record of drivers' deaths; afterwards nobody holds the run. False: the run
   * does not have this code.
   */
  liftQuarantine(runKey: RunKey, code: string): Promise<boolean>

  /** Ascending by runSeq, strictly after `afterSeq` (default 0), at most `limit` (default 1,000). */
  readEvents(
    runKey: RunKey,
    range: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly StoredEvent[]>
  /**
   * Deletes data and salt of a run's events up to a seq (P-34), and everything else that holds their values: blobs,
   * cached folds, context and bodies of consumed inbox rows. Records stay, and a repeated inbox row is still
   * recognised.
   */
  eraseData(runKey: RunKey, upToSeq: number): Promise<void>

  /** Latest value of each variable as of `atSeq`: JSON text by variable. */
  readContext(runKey: RunKey, atSeq: number): Promise<ReadonlyMap<string, string>>

  insertInbox(run: RunRef, row: InboxInsert): Promise<InboxAnswer | { readonly kind: 'no-run' }>
  /** Unconsumed rows in order of insertion. */
  readInbox(runKey: RunKey): Promise<readonly InboxRow[]>
  findInbox(runKey: RunKey, inboxId: string): Promise<InboxRow | undefined>

  putBlob(runKey: RunKey, sha256: string, text: string): Promise<void>
  getBlob(runKey: RunKey, sha256: string): Promise<string | undefined>

  /**
   * Of a run that has ended only one of its last event is kept: an earlier one, made before an erasure and late to be
   * stored, would bring back what was erased.
   */
  putCheckpoint(runKey: RunKey, snapshot: StoredCheckpoint): Promise<void>
  /** Newest cached fold of that kind not beyond `maxSeq`. */
  getCheckpoint(runKey: RunKey, kind: CheckpointKind, maxSeq?: number): Promise<StoredCheckpoint | undefined>

  /**
   * Takes or renews the lease unless another owner's is still valid at `now`; that of an owner which is certainly
   * `gone` is taken all the same. Returns the row when held. A lease taken from another owner counts among the run's
   * `deaths`; a returned lease resets that count.
   */
  acquireLease(runKey: RunKey, owner: string, now: number, until: number, gone?: string): Promise<RunRow | undefined>
  releaseLease(runKey: RunKey, owner: string): Promise<void>
  /**
   * What the holder of the lease is about to do with the run; undefined: it is done. Nothing is noted for other
   * processes. When the lease is taken from a holder that vanished, the note is added to those of the vanished holders
   * before it.
   */
  noteDoing(runKey: RunKey, owner: string, doing: string | undefined): Promise<void>
  /**
   * Non-terminal, not quarantined runs that are due (nextWakeAt <= now), have unconsumed inbox rows, or have open work
   * without a lease; not leased by others at `now`. Never includes runs of outside engines.
   */
  dueRuns(now: number, owner: string, limit: number): Promise<readonly RunRow[]>
  /**
   * Runs as `dueRuns` gives them, but under a lease that still runs at `now`: their holder has something to do, if it lives. The
   * lease that ends first comes first: what a holder renews moves behind what nobody renews.
   */
  leasedRuns(now: number, limit: number): Promise<readonly RunRow[]>
  /**
   * Ended runs, not quarantined and not of an outside engine, with an inbox row unconsumed since `until` or longer:
   * their driver may have died right after their end. Oldest inbox row first.
   */
  endedWithInboxRows(until: number, limit: number): Promise<readonly RunRow[]>
  /**
   * Runs of an outside engine that should have moved: non-terminal, not quarantined, due (nextWakeAt) or with an
   * unconsumed inbox row for at least `forMs` at `now`. Ordered by the instant since which they wait, then by key
   * (P-38, P-40).
   */
  stalledRuns(
    engineType: string,
    at: { readonly now: number; readonly forMs: number },
    limit: number,
  ): Promise<readonly RunRow[]>

  /** Durable begin-claim of an irreversible attempt (P-28). False when it was claimed before. */
  claimAttempt(runKey: RunKey, claim: StepClaim): Promise<boolean>
  readClaims(runKey: RunKey): Promise<readonly StepClaim[]>

  close(): Promise<void>
}
