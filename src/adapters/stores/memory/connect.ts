/**
 * The memory store's "disk": what outlives a handle, so that a simulated crash can close one handle and open another.
 * Rows are replaced, never changed; only the maps that hold them change.
 */
import type { RunLimit } from '../../../ports/admission.ts'
import type { StoredApiKey, Tenant } from '../../../ports/api-keys.ts'
import type { AuditRow } from '../../../ports/audit-log.ts'
import type { SignalDecisionRecord } from '../../../ports/decisions.ts'
import type { EventWaitRow, NewEvent } from '../../../ports/events.ts'
import type { DeadLetter } from '../../../ports/feed.ts'
import type { GrantRequest, PoolDefinition } from '../../../ports/grants.ts'
import type { RequestAnswer } from '../../../ports/idempotency.ts'
import type { PutPlan, StoredPlan } from '../../../ports/plan-store.ts'
import type { FleetRun, StoredOperation } from '../../../ports/fleet.ts'
import type { StoredSchedule } from '../../../ports/schedules.ts'
import type { StoredDelivery, StoredTrigger } from '../../../ports/triggers.ts'
import type { SavedView } from '../../../ports/views.ts'
import type { EndedClaim, StoredWork, StoredWorker } from '../../../ports/work.ts'
import type {
  ContextWrite,
  InboxRow,
  RunKey,
  RunLabels,
  RunRow,
  StepClaim,
  StoredEvent,
  StoredCheckpoint,
} from '../../../ports/run-store.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'

export interface MemoryInboxRow {
  readonly row: InboxRow
  /** Hex, after the body was erased: enough to recognise a repeat. */
  readonly bodySha256?: string
}

export interface MemoryRun {
  row: RunRow
  readonly events: StoredEvent[]
  /** Keyed by the key's bytes as latin1 text. */
  readonly keys: Map<string, StoredEvent>
  readonly terminalSlots: Set<string>
  readonly inbox: Map<string, MemoryInboxRow>
  /** The unconsumed ids, in order of insertion. */
  readonly pending: Set<string>
  /** Versions of each variable, ascending by seq. */
  readonly context: Map<string, ContextWrite[]>
  readonly blobs: Map<string, string>
  readonly snapshots: Map<string, StoredCheckpoint>
  readonly claims: Map<string, StepClaim>
  /** Open waits for events, by `<slot>#<attempt>`. */
  readonly eventWaits: Map<string, EventWaitRow>
  labels: RunLabels
  /** The epoch of the run when another process last took its lease. */
  takenEpoch?: number
  /** The store's count of appends when this run was last appended to (P-50). */
  feedPos: number
}

export interface MemorySentEvent extends Omit<NewEvent, 'ttlMs'> {
  readonly sentAt: number
  readonly expiresAt: number
  /** Hex, after its data was erased: enough to recognise a repeat. */
  readonly dataSha256?: string
}

export interface MemoryPool {
  readonly definition: PoolDefinition
  /** For a quota: the units taken in the last window that was used. */
  readonly taken: { readonly window: number; readonly units: number }
  /** The turn of the pool and the turns of the tenants served so far: round robin. */
  readonly turn: number
  readonly tenantTurns: ReadonlyMap<string, number>
  /** Consecutive failures; with `openUntil` the breaker is open, or half open after that instant. */
  readonly failures: number
  readonly openUntil?: number
  /** Key of the attempt that may pass while half open. */
  readonly probe?: string
}

export interface MemoryGrant {
  readonly runKey: RunKey
  readonly slot: string
  readonly attempt: number
  readonly wants: Readonly<Record<string, number>>
  readonly since: number
}

export interface MemoryWait extends GrantRequest {
  readonly runKey: RunKey
  readonly since: number
  /** Only grows: a lower number is older. */
  readonly place: number
  /** The run's turn in each pool it wants. */
  readonly turns: ReadonlyMap<string, number>
  readonly bypassed: number
  readonly offeredUntil?: number
}

/** Held and waiting grants, keyed by `grantKey`. */
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

export interface MemoryRequest {
  readonly bodySha256: Uint8Array
  readonly owner: string
  readonly until: number
  readonly tenantId: string
  readonly executionId?: string
  readonly answered?: { readonly answer: RequestAnswer; readonly at: number }
}

export interface MemoryDisk {
  /** A run's key is its position here, counted from 1. */
  readonly runs: MemoryRun[]
  /** Keyed by `pair(tenantId, runId)`. */
  readonly byRef: Map<string, MemoryRun>
  readonly byRequest: Map<string, MemoryRun>
  /** Keyed by `pair(tenantId, sha256)`, oldest first. */
  readonly plans: Map<string, StoredPlan>
  /** Published plans, oldest first. */
  readonly publications: (Omit<StoredPlan, 'text'> & Pick<PutPlan, 'source'>)[]
  readonly pauses: Map<string, ScopePause>
  /** Keyed by `pair(tenantId, eventId)`, oldest first. */
  readonly sentEvents: Map<string, MemorySentEvent>
  /** A commit that claims replaces the whole, so that a refused commit leaves nothing. */
  grants: MemoryGrants
  /** Number of appends so far. */
  feedPos: number
  readonly subscribers: Map<string, MemorySubscriber>
  readonly tenants: Map<string, Tenant>
  /** Keyed by `pair(tenantId, name)`. */
  readonly limits: Map<string, RunLimit>
  /** Keyed by `pair(tenantId, viewId)`. */
  readonly views: Map<string, SavedView>
  /** By key id, across tenants. */
  readonly apiKeys: Map<string, StoredApiKey>
  /** Keyed by `pair(tenantId, pair(route, key))`. */
  readonly requests: Map<string, MemoryRequest>
  /** In the order of storage: a record's place here is the second part of a cursor. */
  readonly decisions: SignalDecisionRecord[]
  /** Of each tenant: the row of position n is at n - 1. */
  readonly audit: Map<string, AuditRow[]>
  /** Keyed by `pair(tenantId, scheduleId)`, and by `pair(tenantId, name)`. */
  readonly schedules: Map<string, StoredSchedule>
  readonly triggers: Map<string, StoredTrigger>
  /** Of each trigger, oldest first. */
  readonly deliveries: Map<string, readonly StoredDelivery[]>
  /** Keyed by `pair(tenantId, operationId)`. */
  readonly operations: Map<string, { readonly operation: StoredOperation; readonly runs: readonly FleetRun[] }>
  /** By run, slot and attempt. */
  readonly work: Map<string, StoredWork>
  /** Keyed by `pair(tenantId, sha256)`. */
  readonly endedClaims: Map<string, EndedClaim>
  /** By tenant, name and principal. */
  readonly workers: Map<string, StoredWorker>
}

export function createMemoryDisk(): MemoryDisk {
  return {
    runs: [],
    byRef: new Map(),
    byRequest: new Map(),
    plans: new Map(),
    publications: [],
    pauses: new Map(),
    sentEvents: new Map(),
    grants: { pools: new Map(), held: new Map(), waits: new Map(), places: 0 },
    feedPos: 0,
    subscribers: new Map(),
    tenants: new Map(),
    limits: new Map(),
    views: new Map(),
    apiKeys: new Map(),
    requests: new Map(),
    decisions: [],
    audit: new Map(),
    schedules: new Map(),
    triggers: new Map(),
    deliveries: new Map(),
    operations: new Map(),
    work: new Map(),
    endedClaims: new Map(),
    workers: new Map(),
  }
}

/** Two texts with any characters, as one key of a map. */
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
