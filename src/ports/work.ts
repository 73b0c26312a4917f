/**
 * Work that a plan leaves to remote workers: one row for each attempt that is sent to a queue, and who asks for such work. A row says
 * where the attempt is; that it has ended is only in the log. Whoever changes a row names the revision that they have read, so that of
 * two processes one succeeds.
 */
import type { RunKey } from './stored-run.ts'

export interface WorkRef {
  readonly runKey: RunKey
  readonly slot: string
  readonly attempt: number
}

/** `closed`: its executor waits no more, so what is reported now is late. */
export type WorkState = 'offered' | 'claimed' | 'reported' | 'closed'

export interface StoredWork extends WorkRef {
  readonly tenantId: string
  /** From 1. */
  readonly revision: number
  readonly state: WorkState
  readonly queue: string
  /** The function that the plan names. */
  readonly handler: string
  /** Never handed out twice (P-28). */
  readonly irreversible: boolean
  /** Only for workers that may be given secrets. */
  readonly secrets: boolean
  /** Of its last dispatch. */
  readonly engineAttempt: number
  readonly offeredAt: number
  /** When somebody last wrote the row. */
  readonly touchedAt: number
  /** How often it was handed out. */
  readonly claims: number
  /** The claim it was last handed out under. */
  readonly claim?: WorkClaim
  /** JSON: what a worker is given. */
  readonly body: string
  /** JSON: what a worker reported. */
  readonly report?: string
}

export interface WorkClaim {
  /** Hex, of the token that only the worker has. */
  readonly sha256: string
  readonly worker: string
  readonly at: number
  /** Without a heartbeat until then it may be handed out again; each heartbeat moves it this far away. */
  readonly until: number
  readonly leaseMs: number
}

/** A claim whose lease was over before its worker reported: another worker has the step now, or had it. */
export interface EndedClaim extends WorkRef {
  /** Which engine attempt it was. */
  readonly engineAttempt: number
  readonly at: number
  /** JSON: what its worker reported, late. */
  readonly report?: string
}

/** A step that was sent to a queue, as people see it. */
export interface ListedWork extends Pick<
  StoredWork,
  'slot' | 'attempt' | 'queue' | 'handler' | 'offeredAt' | 'claims'
> {
  readonly runId: string
  /** Who has it; absent while it is offered. */
  readonly claim?: Omit<WorkClaim, 'sha256' | 'leaseMs'>
}

/** What a worker can do. */
export interface WorkWanted {
  readonly queues: readonly string[]
  readonly handlers: readonly string[]
  readonly secrets: boolean
  readonly now: number
}

export interface StoredWorker {
  readonly tenantId: string
  /** Its own name, and the principal that it asks as. */
  readonly worker: string
  readonly actorId: string
  readonly askedAt: number
  /** JSON: what it asked for. */
  readonly body: string
}

export interface WorkStore {
  /** Stores it as the revision after `revision - 1`, or as the first. False: there is another revision, or none. */
  putWork(work: StoredWork): Promise<boolean>
  /** For executors, by the store's own key. */
  findWork(ref: WorkRef): Promise<StoredWork | undefined>
  findClaim(tenantId: string, sha256: string): Promise<StoredWork | undefined>
  /** Kept as long as the row of its work. */
  findEndedClaim(tenantId: string, sha256: string): Promise<EndedClaim | undefined>
  /** False: it has a report already, or there is no such claim. */
  reportEndedClaim(tenantId: string, sha256: string, report: string): Promise<boolean>
  /** Those of the given that have another revision by now. */
  movedWork(seen: readonly (WorkRef & Pick<StoredWork, 'revision'>)[]): Promise<readonly StoredWork[]>
  /** Offered work, and claimed work that may be handed out again; the longest offered first. */
  openWork(tenantId: string, wanted: WorkWanted, limit: number): Promise<readonly StoredWork[]>
  /** What is offered or claimed, the longest offered first, each with the run that it is for. */
  listWork(tenantId: string, limit: number): Promise<readonly ListedWork[]>
  /** Of all tenants: rows that nobody has written since an instant, the oldest first. */
  untouchedWork(before: number, limit: number): Promise<readonly StoredWork[]>
  deleteWork(ref: WorkRef): Promise<void>

  /** There is one row for each worker name and principal; the newest word counts. */
  noteWorker(worker: StoredWorker): Promise<void>
  /** Who asked last comes first. */
  listWorkers(tenantId: string, limit: number): Promise<readonly StoredWorker[]>
  /** Of all tenants: forgets workers that have not asked since an instant. */
  dropWorkers(askedBefore: number): Promise<void>
}
