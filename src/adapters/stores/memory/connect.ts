/**
 * The memory store's "disk": what outlives a handle, so that a simulated crash can close one handle and open another.
 * Rows are replaced, never changed; only the maps that hold them are.
 */
import type { DeadLetter } from '../../../ports/feed.ts'
import type { GrantRequest, PoolDefinition } from '../../../ports/grants.ts'
import type {
  ContextWrite,
  InboxRow,
  RunKey,
  RunRow,
  ScopePause,
  StepClaim,
  StoredEvent,
  StoredSnapshot,
} from '../../../ports/run-store.ts'

export interface MemoryInboxRow {
  readonly row: InboxRow
  /** Hex, once the body was erased: enough to recognise a repeat. */
  readonly bodySha256?: string
}

export interface MemoryRun {
  row: RunRow
  readonly events: StoredEvent[]
  /** By the key's bytes as latin1 text. */
  readonly keys: Map<string, StoredEvent>
  readonly terminalSlots: Set<string>
  readonly inbox: Map<string, MemoryInboxRow>
  /** The unconsumed ids, in order of insertion. */
  readonly pending: Set<string>
  /** Versions of each variable, ascending by seq. */
  readonly context: Map<string, ContextWrite[]>
  readonly blobs: Map<string, string>
  readonly snapshots: Map<string, StoredSnapshot>
  readonly claims: Map<string, StepClaim>
  /** The store's count of appends when this run was last appended to (P-50). */
  feedPos: number
}

export interface MemoryPlan {
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

export interface MemoryPool {
  readonly definition: PoolDefinition
  /** Of a quota: what was taken in the last window that anything was taken in. */
  readonly taken: { readonly window: number; readonly units: number }
  /** The pool's turn and those of the tenants served so far: round robin. */
  readonly turn: number
  readonly tenantTurns: ReadonlyMap<string, number>
  /** Failures in a row; with `openUntil` the breaker is open, or after that instant half open. */
  readonly failures: number
  readonly openUntil?: number
  /** Key of the attempt that was let through while half open. */
  readonly probe?: string
}

export interface MemoryGrant {
  readonly runKey: RunKey
  readonly slot: string
  readonly attempt: number
  readonly wants: Readonly<Record<string, number>>
}

export interface MemoryWait extends GrantRequest {
  readonly runKey: RunKey
  readonly since: number
  /** Grows for ever: lower is older. */
  readonly place: number
  /** The run's turn in each pool it wants. */
  readonly turns: ReadonlyMap<string, number>
  readonly bypassed: number
  readonly offeredUntil?: number
}

/** Held and waiting by `grantKey`. */
export interface MemoryGrants {
  readonly pools: Map<string, MemoryPool>
  readonly held: Map<string, MemoryGrant>
  readonly waits: Map<string, MemoryWait>
  places: number
}

export interface MemorySubscriber {
  /** The last settled runSeq of each run. */
  readonly cursors: Map<RunKey, number>
  /** Runs whose next event could not be delivered. */
  readonly blocked: Map<RunKey, { readonly attempts: number; readonly retryAt: number }>
  readonly deadLetters: DeadLetter[]
}

export interface MemoryDisk {
  /** A run's key is its place here, counted from 1. */
  readonly runs: MemoryRun[]
  readonly byRunId: Map<string, MemoryRun>
  readonly byRequest: Map<string, MemoryRun>
  readonly plans: Map<string, MemoryPlan>
  readonly pauses: Map<string, ScopePause>
  /** Replaced as a whole by a commit that claims, so that a refused one leaves nothing. */
  grants: MemoryGrants
  /** Appends so far. */
  feedPos: number
  readonly subscribers: Map<string, MemorySubscriber>
}

export function createMemoryDisk(): MemoryDisk {
  return {
    runs: [],
    byRunId: new Map(),
    byRequest: new Map(),
    plans: new Map(),
    pauses: new Map(),
    grants: { pools: new Map(), held: new Map(), waits: new Map(), places: 0 },
    feedPos: 0,
    subscribers: new Map(),
  }
}

/** Two parts that may hold anything, as one key of a map. */
export function pair(first: string, second: string): string {
  return `${first.length}:${first}${second}`
}

/** A grant belongs to a run's slot and attempt (P-18). */
export function grantKey(
  runKey: RunKey,
  { slot, attempt }: { readonly slot: string; readonly attempt: number },
): string {
  return `${runKey}|${attempt}|${slot}`
}
