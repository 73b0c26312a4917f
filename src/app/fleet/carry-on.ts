/**
 * Carries an operation on: some runs at a time, each with a signal whose id follows from operation and run. What came of them is noted
 * before the next ones have their turn. Whoever dies in between is followed by another process, which sends the same signals again, and
 * the runs take none of them twice.
 */
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { FleetRun } from '../../ports/fleet.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { changedOperation, operationOf, type Operation, type OperationRecord } from './record.ts'

export interface FleetWorld {
  readonly store: RunStore
  readonly now: () => number
  /** False: the process is closing. */
  readonly isOpen: () => boolean
  /** Sends the signal of the operation to one run; throws what refuses it. */
  readonly send: (operation: Operation, row: RunRow) => Promise<Exclude<FleetRun['outcome'], 'OPEN' | 'REFUSED'>>
}

/** Runs that have their turn at the same time: each may wait a little for its driver. */
const AT_ONCE = 16
/** After so many rounds without any run brought on, what cannot be reached counts as refused. */
const IDLE_ROUNDS = 20

type Came = FleetRun | { readonly runId: string; readonly later: string }

/** False: another process has it, or it has ended. */
export async function carryOn(world: FleetWorld, due: Operation): Promise<boolean> {
  let operation: Operation | undefined = await keep(world, due, due.record, LIMITS.fleetClaimMs)
  while (operation !== undefined) {
    if (!world.isOpen()) return (await keep(world, operation, operation.record, 0)) !== undefined
    const { tenantId, operationId } = operation
    const open = await world.store.fleetRuns(tenantId, operationId, 'OPEN', AT_ONCE)
    if (open.length === 0) return end(world, operation)
    const step = await turn(world, operation, open)
    operation = await keep(world, operation, step.record, step.isIdle ? LIMITS.fleetWaitMs : LIMITS.fleetClaimMs)
    if (step.isIdle) return operation !== undefined
  }
  return false
}

async function turn(
  world: FleetWorld,
  operation: Operation,
  open: readonly FleetRun[],
): Promise<{ readonly record: OperationRecord; readonly isIdle: boolean }> {
  const { tenantId, operationId, record } = operation
  const came = await Promise.all(open.map(({ runId }) => sendTo(world, operation, runId)))
  const isLastTry = record.idleRounds >= IDLE_ROUNDS
  const noted = came.flatMap((one): readonly FleetRun[] => {
    if (!('later' in one)) return [one]
    return isLastTry ? [{ runId: one.runId, outcome: 'REFUSED', code: one.later }] : []
  })
  await world.store.noteFleetRuns(tenantId, operationId, noted)
  const isIdle = noted.length === 0
  return { record: { ...record, idleRounds: isIdle ? record.idleRounds + 1 : 0 }, isIdle }
}

async function sendTo(world: FleetWorld, operation: Operation, runId: string): Promise<Came> {
  try {
    const row = await world.store.findRun({ tenantId: operation.tenantId, runId })
    if (row === undefined) return { runId, outcome: 'REFUSED', code: 'RUN_NOT_FOUND' }
    return { runId, outcome: await world.send(operation, row) }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const [{ code, retryable }] = thrown.problems
    return retryable ? { runId, later: code } : { runId, outcome: 'REFUSED', code }
  }
}

/** Holds the operation for so long; undefined when somebody changed it, who is then right. */
async function keep(
  { store, now }: FleetWorld,
  operation: Operation,
  record: OperationRecord,
  forMs: number,
): Promise<Operation | undefined> {
  const changed = changedOperation(operation, record, now() + forMs)
  return (await store.putOperation(changed)) ? operationOf(changed) : undefined
}

async function end({ store, now }: FleetWorld, operation: Operation): Promise<boolean> {
  return store.putOperation(changedOperation(operation, { ...operation.record, state: 'DONE', endedAt: now() }))
}
