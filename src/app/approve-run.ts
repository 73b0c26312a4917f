/**
 * A person's word about a run that was queued to wait for it: approved, it may be started like any other that is queued;
 * rejected, it is cancelled before it began. Both are letters (P-21), taken at once under a lease where nobody has the run.
 */
import { fail } from '../core/problems/problem.ts'
import type { RunStatus } from '../core/run/transitions.ts'
import type { EngineHost } from '../ports/engine.ts'
import type { RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { needUsable } from './run-trouble.ts'
import type { Services } from './services.ts'
import { signalRun } from './signal-run.ts'

export interface ApproveParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: Pick<EngineHost, 'wake'>
  /** The name this process has in leases. */
  readonly owner: string
}

const HOLD_MS = 15_000
const NAME_CHARS = 255

export async function approveRun(parts: ApproveParts, row: RunRow, approvedBy: string): Promise<RunStatus> {
  await needWaiting(parts, row, approvedBy)
  const { store, random } = parts.services
  const letter = { inboxId: `approve:${random.uuid()}`, kind: 'approve', body: JSON.stringify({ approvedBy }) }
  await store.insertInbox(row, letter)
  return takeLetters(parts, row)
}

export async function rejectRun(
  parts: ApproveParts,
  row: RunRow,
  rejectedBy: string,
  reason?: string,
): Promise<RunStatus> {
  await needWaiting(parts, row, rejectedBy)
  const { services } = parts
  const payload = reason === undefined ? {} : { reason }
  const request = { signalId: services.random.uuid(), signalType: 'CANCEL', payload }
  await signalRun(services, row, request, { actorId: rejectedBy, actorRole: 'Admin', allowed: true })
  return takeLetters(parts, row)
}

async function needWaiting({ services, advancer }: ApproveParts, row: RunRow, actorId: string): Promise<void> {
  const { runId, status } = row
  await needUsable({ store: services.store, plans: advancer.plans }, row)
  if (status !== 'PENDING') fail('RUN_NOT_WAITING', `run ${runId} is ${status} and waits for nobody's approval`)
  if (actorId === '' || actorId.length > NAME_CHARS)
    fail('USAGE', `who approves or rejects is named by 1 to ${NAME_CHARS} characters`)
}

/** Whoever holds the run takes them instead, before it does anything else. */
async function takeLetters({ services, advancer, engine, owner }: ApproveParts, row: RunRow): Promise<RunStatus> {
  const { store, clock } = services
  const { runKey } = row
  const holder = `${owner}#approve`
  const held = await store.acquireLease(runKey, holder, clock.now(), clock.now() + HOLD_MS)
  if (held === undefined) {
    engine.wake(runKey)
    return (await store.getRun(runKey))?.status ?? row.status
  }
  try {
    advancer.forget(runKey)
    return (await advancer.advance(runKey)).status
  } finally {
    advancer.forget(runKey)
    await store.releaseLease(runKey, holder)
  }
}
