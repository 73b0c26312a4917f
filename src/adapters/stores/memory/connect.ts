/**
 * The memory store's "disk": what outlives a handle, so that a simulated crash can close one handle and open another.
 * Rows are replaced, never changed; only the maps that hold them are.
 */
import type {
  ContextWrite,
  InboxRow,
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
}

export interface MemoryPlan {
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

export interface MemoryDisk {
  /** A run's key is its place here, counted from 1. */
  readonly runs: MemoryRun[]
  readonly byRunId: Map<string, MemoryRun>
  readonly byRequest: Map<string, MemoryRun>
  readonly plans: Map<string, MemoryPlan>
  readonly pauses: Map<string, ScopePause>
}

export function createMemoryDisk(): MemoryDisk {
  return { runs: [], byRunId: new Map(), byRequest: new Map(), plans: new Map(), pauses: new Map() }
}

/** Two parts that may hold anything, as one key of a map. */
export function pair(first: string, second: string): string {
  return `${first.length}:${first}${second}`
}
