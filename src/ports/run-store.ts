/**
 * What the product asks of a store. Bytes are sealed (hashed, keyed, numbered) before they come here; a store keeps
 * them exactly, compares and sets, and never decides. Every look-up by an outside id carries the tenant.
 */
import type { RunStatus } from '../core/run/transitions.ts'
import type { ArchiveStore } from './archive.ts'
import type { FeedStore } from './feed.ts'
import type { GrantRefusal, GrantRelease, GrantRequest, GrantStore } from './grants.ts'
import type { LeaseRenewal } from './loop-guard.ts'
import type { NewRun, RunKey, RunParent, RunRef, RunRow, RunSummary, SealedEvent, StoredEvent } from './stored-run.ts'

export type { NewRun, RunKey, RunParent, RunRef, RunRow, RunStatus, RunSummary, SealedEvent, StoredEvent }

export interface InboxInsert {
  /** `signal:<id>`, `manual:<hash>`, `child:<runId>`, `outcome:<effectId>`, `approve:<id>`, `scope:<id>` … (P-21). */
  readonly inboxId: string
  readonly kind: string
  /** JSON text. */
  readonly body: string
}
export interface InboxRow extends InboxInsert {
  readonly insertedAt: number
  readonly consumedSeq?: number
}
/** `duplicate`: same id, same body. `conflict`: same id, other body (SIGNAL_DUPLICATE). */
export type InboxAnswer =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'duplicate'; readonly row: InboxRow }
  | { readonly kind: 'conflict'; readonly row: InboxRow }

export interface ContextWrite {
  readonly variable: string
  readonly seq: number
  /** JSON text of the merged value of this top-level variable as of `seq`. */
  readonly value: string
}

/** Everything one run produced in one turn: it is committed whole or not at all (P-08). */
export interface RunCommit {
  /** The run's key; for a new run leave it out and give `create`. */
  readonly runKey?: RunKey
  readonly create?: NewRun
  readonly expected: { readonly epoch: number; readonly nextSeq: number }
  /** Adoption, hand-off, restore: the epoch after this commit. Default: unchanged. */
  readonly newEpoch?: number
  /** May be empty (adoption). runSeq of the first is expected.nextSeq; numbers are contiguous. */
  readonly events: readonly SealedEvent[]
  readonly summary: RunSummary
  /** Inbox rows this commit consumed, each with the seq of the first event it caused (or expected.nextSeq). */
  readonly consumed?: readonly { readonly inboxId: string; readonly seq: number }[]
  readonly context?: readonly ContextWrite[]
  /** Rows for other runs' inboxes, e.g. a child's end for its parent (P-29). Unknown runs are ignored. */
  readonly notify?: readonly { readonly run: RunRef; readonly row: InboxInsert }[]
  /** Blobs the events refer to, in the same transaction: a run that does not exist yet has no key for putBlob. */
  readonly blobs?: readonly { readonly sha256: string; readonly text: string }[]
  /** Sets the run's lease in the same transaction, e.g. for the process that creates it. Default: unchanged. */
  readonly lease?: { readonly owner: string; readonly until: number }
  /** Start or hand-off on an outside engine: which engine has the run from this commit on, under which name of its own. */
  readonly engine?: { readonly engineType: string; readonly engineRunRef: string }
  /** Units freed, before anything is claimed. `all`: the run has ended, and whatever it holds is freed. */
  readonly releases?: readonly GrantRelease[] | 'all'
  /** Units this commit's StepStarteds need. One that is not to be had refuses the whole commit (P-09). */
  readonly claims?: readonly GrantRequest[]
  /** The slots of the run that wait for grants after this commit, all of them. Absent: as before. */
  readonly waits?: readonly GrantRequest[]
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly runKey: RunKey; readonly persistedAt: number }
  /** Epoch or next_seq moved: fold again and decide again. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'run-exists' }
  | { readonly kind: 'request-exists'; readonly runId: string }
  /** Claims that could not be granted, all of them; nothing of this run was written. Decide again without them. */
  | { readonly kind: 'ungranted'; readonly refused: readonly GrantRefusal[] }
  /** A unique index refused what compare-and-set let through: a defect; the run is quarantined by the caller (P-09). */
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
}
export interface ListPage {
  readonly runs: readonly RunRow[]
  /** Opaque; give it back for the next page. Newest runs first; stable while runs are added. */
  readonly next?: string
}

export type SnapshotKind = 'state' | 'view'
export interface StoredSnapshot {
  readonly kind: SnapshotKind
  readonly seq: number
  readonly rulesVersion: number
  readonly body: string
}

export interface StepClaim {
  readonly slot: string
  readonly attempt: number
  readonly claimant: string
}

export interface ScopePause {
  readonly pauseId: string
  /** `plan:<planId>`, `tenant` or `fleet`. */
  readonly scope: string
  readonly tenantId?: string
  readonly reason?: string
  readonly active: boolean
}

/** What a store says about itself, checked by a test (STO-23). */
export interface StoreManifest {
  readonly name: string
  readonly durable: boolean
  readonly duplicates: string
  readonly sequence: string
  readonly orphans: string
}

export interface RunStore extends GrantStore, FeedStore, ArchiveStore {
  readonly manifest: StoreManifest
  /** How a thread of its own renews leases while this one is stuck; absent where no other thread reaches the store. */
  readonly leaseRenewal?: LeaseRenewal

  /**
   * One transaction for all, atomic per run: a run that loses its compare-and-set leaves the others standing.
   * Rejects (KeelsonError STORE_…) when the whole batch failed or its fate is unknown (P-10).
   */
  commit(batch: readonly RunCommit[]): Promise<readonly CommitResult[]>

  /**
   * The open append (P-15; store suite and import only): locks the run, skips keys that exist, numbers the rest
   * in batch order, all or nothing. `seal` is called with the head and the number each new write gets.
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
  listRuns(
    tenantId: string,
    filter: ListFilter,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<ListPage>
  /** How many runs a tenant has in each status, kept without a hot row (P-41). Statuses without runs may be absent. */
  countRuns(tenantId: string): Promise<ReadonlyMap<RunStatus, number>>
  quarantine(runKey: RunKey, code: string): Promise<void>

  /** Ascending by runSeq, strictly after `afterSeq` (default 0), at most `limit` (default 1,000). */
  readEvents(
    runKey: RunKey,
    range: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly StoredEvent[]>
  /**
   * Deletes data and salt of a run's events up to a seq (P-34), and what else holds their values: blobs, snapshots,
   * context and bodies of consumed inbox rows. Records stay, and a repeated inbox row is still recognised.
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

  putPlan(plan: {
    readonly sha256: string
    readonly planId: string
    readonly planVersion: string
    readonly text: string
  }): Promise<void>
  getPlan(sha256: string): Promise<string | undefined>
  /** Newest stored plan of that id (and version, if given). */
  findPlan(
    planId: string,
    planVersion?: string,
  ): Promise<{ readonly sha256: string; readonly text: string } | undefined>

  putSnapshot(runKey: RunKey, snapshot: StoredSnapshot): Promise<void>
  /** Newest snapshot of that kind not beyond `maxSeq`. */
  getSnapshot(runKey: RunKey, kind: SnapshotKind, maxSeq?: number): Promise<StoredSnapshot | undefined>

  /**
   * Takes or renews the lease unless another owner's is still running at `now`; that of one who is surely `gone` is taken
   * all the same. Returns the row when held. Taken from another it counts among the run's `deaths`; one that was given
   * back ends their row.
   */
  acquireLease(runKey: RunKey, owner: string, now: number, until: number, gone?: string): Promise<RunRow | undefined>
  releaseLease(runKey: RunKey, owner: string): Promise<void>
  /**
   * Non-terminal, not quarantined runs that are due (nextWakeAt <= now), have unconsumed inbox rows, or are owed work that
   * nobody holds a lease for; not leased by others at `now`. Runs of outside engines are never among them.
   */
  dueRuns(now: number, owner: string, limit: number): Promise<readonly RunRow[]>
  /**
   * Ended runs, not quarantined and of no outside engine, with a letter that nobody has consumed since `until` or longer:
   * whoever drove them may have died right after their end. Oldest letter first.
   */
  endedWithLetters(until: number, limit: number): Promise<readonly RunRow[]>
  /**
   * Runs of an outside engine that ought to have moved: non-terminal, not quarantined, due (nextWakeAt) or with an unconsumed
   * inbox row for at least `forMs` at `now`. In order of the instant since which they wait, then of their keys (P-38, P-40).
   */
  stalledRuns(
    engineType: string,
    at: { readonly now: number; readonly forMs: number },
    limit: number,
  ): Promise<readonly RunRow[]>

  /** Durable begin-claim of an irreversible attempt (P-28). False when somebody claimed it before. */
  claimAttempt(runKey: RunKey, claim: StepClaim): Promise<boolean>
  readClaims(runKey: RunKey): Promise<readonly StepClaim[]>

  putScopePause(pause: ScopePause): Promise<void>
  readScopePauses(tenantId: string): Promise<readonly ScopePause[]>

  close(): Promise<void>
}
