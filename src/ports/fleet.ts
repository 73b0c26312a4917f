/**
 * Operations on many runs at once, as a store keeps them: what is to be done, the runs that were chosen when it began, and what came of
 * each. Whoever changes an operation names the revision that they have read; what came of a run is noted once.
 */
export interface StoredOperation {
  readonly tenantId: string
  /** Unique within its tenant. */
  readonly operationId: string
  /** From 1. */
  readonly revision: number
  /** Epoch milliseconds; absent: nobody has to carry it on. */
  readonly dueAt?: number
  readonly createdAt: number
  /** JSON. */
  readonly body: string
}

/**
 * `OPEN`: its turn has not come. `DONE`: the run took the signal. `LEFT`: it is in the inbox of the run. `APPROVAL`: a second person has
 * to accept it. `REFUSED`: under a code.
 */

export type FleetOutcome = 'OPEN' | 'DONE' | 'LEFT' | 'APPROVAL' | 'REFUSED'

export interface FleetRun {
  readonly runId: string
  readonly outcome: FleetOutcome
  /** Of a refusal. */
  readonly code?: string
}

export type FleetCount = Omit<FleetRun, 'runId'> & { readonly runs: number }

export interface FleetPage {
  readonly operations: readonly StoredOperation[]
  /** Opaque; pass it for the next page. */
  readonly next?: string
}

export interface FleetStore {
  /** Its first revision with its runs, in their order, in one transaction. False: the tenant has one of this id. */
  createOperation(operation: StoredOperation, runIds: readonly string[]): Promise<boolean>
  /** Stores it as the revision after `revision - 1`. False: there is another revision, or none. */
  putOperation(operation: StoredOperation): Promise<boolean>
  findOperation(tenantId: string, operationId: string): Promise<StoredOperation | undefined>
  /** Newest first. */
  listOperations(tenantId: string, page: { readonly limit: number; readonly cursor?: string }): Promise<FleetPage>
  /** Of all tenants, those due at `now`, the longest due first. */
  dueOperations(now: number, limit: number): Promise<readonly StoredOperation[]>
  /** The first runs of an operation of which this came, in order. */
  fleetRuns(tenantId: string, operationId: string, outcome: FleetOutcome, limit: number): Promise<readonly FleetRun[]>
  /** What came of runs that are open; the first note counts. */
  noteFleetRuns(tenantId: string, operationId: string, runs: readonly FleetRun[]): Promise<void>
  countFleetRuns(tenantId: string, operationId: string): Promise<readonly FleetCount[]>
}
