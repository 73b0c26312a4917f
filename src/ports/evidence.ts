/**
 * What verification reads of a store beside the log: every row of a run, all runs and plans of all tenants, and the
 * faults that the store finds in itself. It changes nothing.
 */
import type { EventWaitRow } from './events.ts'
import type { ContextWrite, InboxRow, StepClaim, StoredCheckpoint } from './run-sides.ts'
import type { RunKey, RunLabels, RunRow } from './stored-run.ts'

export interface InboxEvidence extends InboxRow {
  /** Hex, after the body was erased. */
  readonly bodySha256?: string
}

/** Every row of a run beside its events. Blobs by the hashes they are stored under; their texts are read one by one. */
export interface RunSides {
  readonly context: readonly ContextWrite[]
  readonly blobs: readonly string[]
  readonly snapshots: readonly StoredCheckpoint[]
  readonly inbox: readonly InboxEvidence[]
  readonly claims: readonly StepClaim[]
  /** Units held: granted to the run's attempts in flight. */
  readonly holds: readonly {
    readonly slot: string
    readonly attempt: number
    readonly pool: string
    readonly amount: number
  }[]
  readonly eventWaits: readonly EventWaitRow[]
  readonly labels: RunLabels
}

/** One row of what names of plans lead to; rows are only ever added. */
export interface Publication {
  readonly position: number
  readonly tenantId: string
  readonly planId: string
  readonly planVersion: string
  readonly sha256: string
  /** What it was made of, as it is stored. */
  readonly source?: string
}

export interface StoredPlan {
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

/**
 * `schema`: a table, trigger, view or function that is missing, altered or foreign. `rows`: rows that belong to no run,
 * or that disagree with each other.
 */
export interface StoreFault {
  readonly kind: 'schema' | 'rows'
  /** Table, trigger or other object. */
  readonly where: string
  readonly what: string
}

export interface EvidenceStore {
  readSides(runKey: RunKey): Promise<RunSides>
  /** Runs of all tenants after a key, ascending. */
  pageRuns(afterKey: RunKey, limit: number): Promise<readonly RunRow[]>
  /** Plans of all tenants in the order of storage, from a position on; `next` is absent at the end. */
  pagePlans(from: number, limit: number): Promise<{ readonly plans: readonly StoredPlan[]; readonly next?: number }>
  /** Publications of all tenants after a position, ascending. */
  pagePublications(after: number, limit: number): Promise<readonly Publication[]>
  /** The last event of the run that a follower of the log has settled; 0 when there is none. */
  settledSeq(runKey: RunKey, subscriber: string): Promise<number>
  /** Faults in the store itself; empty when there are none. */
  faults(): Promise<readonly StoreFault[]>
}
