/** What people do with operations on many runs: begin one, look at it, abort it. Everything within their tenant. */
import { fail } from '../../core/problems/problem.ts'
import type { FleetCount, FleetRun } from '../../ports/fleet.ts'
import type { ListFilter, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import type { Asking } from '../signals/authorized-sender.ts'
import { chosenRuns, previewSha256 } from './choose-runs.ts'
import { needAllowed, type FleetSignal } from './need-allowed.ts'
import { changedOperation, operationOf, type FleetServices, type Operation, type OperationRecord } from './record.ts'

export interface OperationAsked {
  /** Made by whoever asks: a repeat finds the first. */
  readonly operationId: string
  readonly signal: FleetSignal
  /** As it was asked for, and what it means now. */
  readonly filter: OperationRecord['filter']
  readonly meant: ListFilter
  /** Only if the same runs match as in that preview. */
  readonly previewSha256?: string | undefined
}

export interface OperationProgress {
  readonly operation: Operation
  readonly counts: readonly FleetCount[]
}

/** How often a change is made anew when others were faster. */
const TRIES = 100

export async function startOperation(
  services: FleetServices,
  asking: Asking,
  asked: OperationAsked,
): Promise<OperationProgress & { readonly existed: boolean }> {
  const { store, clock } = services
  const { tenantId } = asking.caller
  const { operationId, signal, filter } = asked
  const before = await store.findOperation(tenantId, operationId)
  if (before !== undefined) return { ...(await repeated(store, operationOf(before), asked)), existed: true }
  await needAllowed(services, asking, signal)
  const { runIds } = await chosenRuns(store, tenantId, asked.meant)
  const sha256 = previewSha256(signal, runIds)
  if (asked.previewSha256 !== undefined && asked.previewSha256 !== sha256)
    fail('OPERATION_CHANGED', 'other runs match now than in the preview', { details: { matched: runIds.length } })
  const record: OperationRecord = {
    ...signal,
    filter,
    previewSha256: sha256,
    matched: runIds.length,
    state: 'RUNNING',
    by: asking.caller,
    idleRounds: 0,
  }
  const now = clock.now()
  const stored = { tenantId, operationId, revision: 1, dueAt: now, createdAt: now, body: JSON.stringify(record) }
  const isMade = await store.createOperation(stored, runIds)
  const found = isMade ? operationOf(stored) : await findOperation(store, tenantId, operationId)
  if (!isMade) return { ...(await repeated(store, found, asked)), existed: true }
  return { ...(await progressOf(store, found)), existed: false }
}

async function repeated(
  store: RunStore,
  operation: Operation,
  { signal, filter, operationId }: OperationAsked,
): Promise<OperationProgress> {
  const { signalType, payload, filter: first } = operation.record
  if (canonicalText({ signalType, payload, filter: first }) !== canonicalText({ ...signal, filter }))
    fail('OPERATION_DUPLICATE', `another operation was already begun under the id ${operationId}`)
  return progressOf(store, operation)
}

export async function findOperation(store: RunStore, tenantId: string, operationId: string): Promise<Operation> {
  const stored = await store.findOperation(tenantId, operationId)
  return stored === undefined ? fail('OPERATION_NOT_FOUND', 'there is no such operation') : operationOf(stored)
}

export async function listOperations(
  store: RunStore,
  tenantId: string,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<{ readonly progress: readonly OperationProgress[]; readonly next?: string }> {
  const { operations, next } = await store.listOperations(tenantId, page)
  const progress: OperationProgress[] = []
  for (const stored of operations) progress.push(await progressOf(store, operationOf(stored)))
  return { progress, ...(next === undefined ? {} : { next }) }
}

export async function progressOf(store: RunStore, operation: Operation): Promise<OperationProgress> {
  return { operation, counts: await store.countFleetRuns(operation.tenantId, operation.operationId) }
}

/** The first runs that refused. */
export async function refusedRuns(
  store: RunStore,
  { tenantId, operationId }: Operation,
  limit: number,
): Promise<readonly FleetRun[]> {
  return store.fleetRuns(tenantId, operationId, 'REFUSED', limit)
}

/** Runs whose turn has not come are left alone; what was sent stays sent. One that has ended stays as it is. */
export async function abortOperation(
  { store, clock }: Pick<FleetServices, 'store' | 'clock'>,
  { tenantId, actorId }: Pick<Asking['caller'], 'tenantId' | 'actorId'>,
  operationId: string,
  reason?: string,
): Promise<OperationProgress> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const operation = await findOperation(store, tenantId, operationId)
    if (operation.record.state !== 'RUNNING') return progressOf(store, operation)
    const why = reason === undefined ? {} : { abortReason: reason }
    const ended = { state: 'ABORTED', endedAt: clock.now(), abortedBy: actorId, ...why } as const
    const changed = changedOperation(operation, { ...operation.record, ...ended })
    if (await store.putOperation(changed)) return progressOf(store, operationOf(changed))
  }
  return fail('STORE_UNAVAILABLE', 'the operation is changed by others all the time')
}
