/**
 * Delivers a signal to a run: its decision and its inbox row are stored, and the driver of the run is woken. Nobody drives an ended
 * run, so its answer is written here. A permitted cancel is also passed to the engine (TMP-07).
 */
import { fail } from '../../core/problems/problem.ts'
import { isSignalType, lacksReason, SAY_WHY } from '../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { EngineHost } from '../../ports/engine.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { signalInboxId } from '../signals/decision-record.ts'
import { awaitVerdict, refusedBy, refusedOnRecord, type VerdictParts } from '../inbox/inbox-row-verdict.ts'
import type { SignalRequest, SignalSender } from '../signals/judge-signal.ts'
import { noteVerdict } from '../signals/note-verdict.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import type { Services } from '../services.ts'
import { refuseFlood } from '../signals/signal-rate.ts'
import { signalRun, type SignalTaken } from '../signals/signal-run.ts'

export interface DeliveryParts {
  readonly services: Pick<Services, 'store' | 'random' | 'clock'>
  readonly advancer: Pick<RunAdvancer, 'plans'> & { advance(runKey: RunKey): Promise<unknown> }
  readonly engine: Pick<EngineHost, 'wake' | 'cancelRun'>
}

export async function deliverSignal(
  parts: DeliveryParts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalTaken> {
  const { services, advancer } = parts
  const { runKey, tenantId, runId } = row
  // The row is read again: an inbox row for a run that nobody may drive would wait for ever.
  const found = (await services.store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run ${runId}`)
  await needUsable({ store: services.store, plans: advancer.plans }, found)
  await refuseFlood(services, row, request.signalId, sender)
  const taken = await signalRun(services, { tenantId, runId }, request, sender)
  const isAllowed = taken.record === undefined ? sender.allowed : taken.record.decision === 'ACCEPTED'
  if (taken.kind !== 'approval') await tellRun(parts, runKey, request.signalType === 'CANCEL' && isAllowed)
  return taken
}

/** There is something in the inbox of the run: whoever drives it is told, and an ended run is answered here. */
export async function tellRun(
  { services, advancer, engine }: DeliveryParts,
  runKey: RunKey,
  isCancel: boolean,
): Promise<void> {
  const now = await services.store.getRun(runKey)
  if (now !== undefined && isTerminalRun(now.status)) await advancer.advance(runKey)
  else if (isCancel && engine.cancelRun !== undefined) engine.cancelRun(runKey)
  else engine.wake(runKey)
}

/** Does not wait for an answer: the driver that takes it records that it was refused (AUT-07). */
export function refuseUnexplained({ signalType, payload }: Pick<SignalRequest, 'signalType' | 'payload'>): void {
  if (isSignalType(signalType) && lacksReason(signalType, payload)) fail('AUTHZ_REASON_REQUIRED', SAY_WHY)
}

/** The same, and waits for the answer: fails with the reason in the run's log, if it is there within 2 s. */
export async function signalAnswered(
  parts: DeliveryParts & VerdictParts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalTaken> {
  return answered(parts, row.runKey, await deliverSignal(parts, row, request, sender))
}

/** Waits for what the run makes of a signal that was taken, and notes it in its record. */
export async function answered(parts: VerdictParts, runKey: RunKey, taken: SignalTaken): Promise<SignalTaken> {
  if (taken.kind === 'approval') return taken
  const { record } = taken
  const verdict = await awaitVerdict(parts, runKey, signalInboxId(taken.signalId))
  if (verdict.kind === 'pending') {
    if (record?.decision === 'REJECTED') throw refusedOnRecord(record)
    return { ...taken, kind: 'pending' }
  }
  const noted = record === undefined ? {} : { record: await noteVerdict(parts.services.store, record, verdict.record) }
  if (verdict.record?.eventType === 'SignalRejected') throw refusedBy(verdict.record)
  return { ...taken, ...noted }
}
