/** An operation on many runs as it is kept: the signal, who sends it, and how far it is. The runs and what came of each lie beside it. */
import type { Clock } from '../../ports/clock.ts'
import type { StoredOperation } from '../../ports/fleet.ts'
import type { Random } from '../../ports/random.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { Caller } from '../identity/caller.ts'
import { derivedUuid } from '../log/derived-uuid.ts'
import type { SignalRequest } from '../signals/judge-signal.ts'

/** What it takes to begin one and to look at it: no engine. */
export interface FleetServices {
  readonly store: RunStore
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Pick<Clock, 'now'>
}

export interface OperationRecord {
  readonly signalType: string
  readonly payload: SignalRequest['payload']
  /** As it was asked for: `24h` stays `24h`. */
  readonly filter: Readonly<Record<string, unknown>>
  /** Of signal and runs: what the preview showed. */
  readonly previewSha256: string
  readonly matched: number
  readonly state: 'RUNNING' | 'DONE' | 'ABORTED'
  /** Who asked: each run is signalled with the rights that they had then. */
  readonly by: Caller
  /** Rounds in a row that brought nothing on. */
  readonly idleRounds: number
  readonly endedAt?: number
  readonly abortedBy?: string
  readonly abortReason?: string
}

/** One operation as it was read. */
export interface Operation extends Omit<StoredOperation, 'body'> {
  readonly record: OperationRecord
}

export function operationOf({ body, ...stored }: StoredOperation): Operation {
  return { ...stored, record: JSON.parse(body) as OperationRecord }
}

/** The next revision. Without `dueAt` nobody has to carry it on. */
export function changedOperation(operation: Operation, record: OperationRecord, dueAt?: number): StoredOperation {
  const { tenantId, operationId, revision, createdAt } = operation
  const next = { tenantId, operationId, revision: revision + 1, createdAt, body: JSON.stringify(record) }
  return dueAt === undefined ? next : { ...next, dueAt }
}

/** Whoever carries the operation on, and however often: the same signal, which its run takes once. */
export function fleetSignalId({ tenantId, operationId }: Operation, runId: string): string {
  return derivedUuid(JSON.stringify(['fleet', tenantId, operationId, runId]))
}
