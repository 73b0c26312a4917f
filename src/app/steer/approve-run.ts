/**
 * A person's decision about a run that waits for approval in the queue: an approved run may be started like any other queued run,
 * and a rejected run is cancelled before it starts. Both are inbox rows (P-21), taken at once under a lease where nobody has the
 * run.
 */
import { fail } from '../../core/problems/problem.ts'
import { approvalRefusal, type Refusal } from '../../core/run/people/judge-person.ts'
import { isBlank } from '../../core/run/people/person.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { EngineHost } from '../../ports/engine.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { awaitVerdict, refusedBy } from '../inbox/inbox-row-verdict.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import { mustFitNames } from '../log/fitting.ts'
import type { Services } from '../services.ts'
import type { SignalSender } from '../signals/judge-signal.ts'
import { signalRun } from '../signals/signal-run.ts'
import { notingRefusal } from './note-refusal.ts'

export interface ApproveParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: Pick<EngineHost, 'wake' | 'drives'>
  /** The name of this process in leases. */
  readonly owner: string
}

const HOLD_MS = 15_000

export async function approveRun(parts: ApproveParts, row: RunRow, approvedBy: string): Promise<RunStatus> {
  await needWaiting(parts, row, approvedBy)
  const attempt = { operation: 'approveRun', actorId: approvedBy } as const
  await notingRefusal(parts.services, row, attempt, () => checkApprover(parts, row, approvedBy))
  const { store, random } = parts.services
  const inboxRow = { inboxId: `approve:${random.uuid()}`, kind: 'approve', body: JSON.stringify({ approvedBy }) }
  await store.insertInbox(row, inboxRow)
  return takeInboxRow(parts, row, inboxRow.inboxId)
}

/** Refuses at once, before anything is stored. The decision is judged again where it is applied. */
async function checkApprover(parts: ApproveParts, row: RunRow, approvedBy: string): Promise<void> {
  const refusal = await approverRefusal(parts, row, approvedBy)
  if (refusal !== undefined) fail(refusal.code, refusal.why)
}

/** Undefined: nothing that the run says keeps this person from approving it. Looking writes nothing. */
export async function approverRefusal(
  { advancer }: Pick<ApproveParts, 'advancer'>,
  row: RunRow,
  approvedBy: string,
): Promise<Refusal | undefined> {
  const { state } = await advancer.current(row.runKey)
  // A run that an earlier version queued does not say in its log who asked for it.
  const makers = row.triggeredBy === undefined ? state.people.makers : [row.triggeredBy, ...state.people.makers]
  return approvalRefusal({ ...state, people: { ...state.people, makers } }, approvedBy)
}

/** If another process has the run, waits a moment until it has taken the decision. */
async function takeInboxRow(parts: ApproveParts, row: RunRow, inboxId: string): Promise<RunStatus> {
  const { store } = parts.services
  const status = await takeInboxRows(parts, row)
  const verdict = await awaitVerdict(parts, row.runKey, inboxId)
  if (verdict.kind === 'taken' && verdict.record?.eventType === 'SignalRejected') throw refusedBy(verdict.record)
  return status === 'PENDING' ? ((await store.getRun(row.runKey))?.status ?? status) : status
}

export async function rejectRun(
  parts: ApproveParts,
  row: RunRow,
  sender: SignalSender,
  reason?: string,
): Promise<RunStatus> {
  await needWaiting(parts, row, sender.actorId)
  const { services } = parts
  const payload = reason === undefined ? {} : { reason }
  const request = { signalId: services.random.uuid(), signalType: 'CANCEL', payload }
  const { kind } = await signalRun(services, row, request, sender)
  if (kind === 'approval') return row.status
  return takeInboxRow(parts, row, `signal:${request.signalId}`)
}

/** The current state of a waiting run: its inbox rows are handled first, unless another process has the run. */
export async function settleRun(parts: ApproveParts, row: RunRow): Promise<RunStatus> {
  const { services, advancer } = parts
  await needUsable({ store: services.store, plans: advancer.plans }, row)
  return waitsForApproval(row) ? takeInboxRows(parts, row) : row.status
}

async function needWaiting({ services, advancer }: ApproveParts, row: RunRow, actorId: string): Promise<void> {
  const { runId, status } = row
  mustFitNames({ actorId })
  await needUsable({ store: services.store, plans: advancer.plans }, row)
  if (!waitsForApproval(row)) fail('RUN_NOT_WAITING', `run ${runId} is ${status} and waits for nobody's approval`)
  if (isBlank(actorId))
    fail('USAGE', 'an approval or a rejection needs the name of a person, and blanks are not a name')
}

/** A run that is only queued or delayed is PENDING too, and asks nobody. */
export const waitsForApproval = ({ status, substatus }: RunRow): boolean =>
  status === 'PENDING' && substatus === 'WAITING_APPROVAL'

/** If another process holds the run, it takes them first. */
async function takeInboxRows({ services, advancer, engine, owner }: ApproveParts, row: RunRow): Promise<RunStatus> {
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
