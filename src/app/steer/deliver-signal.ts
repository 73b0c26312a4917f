/**
 * Delivers a signal to a run: it goes into the inbox, and the driver of the run is woken. Nobody drives an ended run, so its
 * answer is written here. A permitted cancel is also passed to the engine (TMP-07).
 */
import { fail } from '../../core/problems/problem.ts'
import { isSignalType, lacksReason, SAY_WHY } from '../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { EngineHost } from '../../ports/engine.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { awaitVerdict, refusedBy, type VerdictParts } from '../inbox/inbox-row-verdict.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import type { Services } from '../services.ts'
import { refuseFlood } from '../inbox/signal-rate.ts'
import { signalRun, type SignalAnswer, type SignalRequest, type SignalSender } from '../inbox/signal-run.ts'

export interface DeliveryParts {
  readonly services: Pick<Services, 'store' | 'random' | 'clock'>
  readonly advancer: Pick<RunAdvancer, 'plans'> & { advance(runKey: RunKey): Promise<unknown> }
  readonly engine: Pick<EngineHost, 'wake' | 'cancelRun'>
}

export async function deliverSignal(
  { services, advancer, engine }: DeliveryParts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalAnswer> {
  const { runKey, tenantId, runId } = row
  // The row is read again: an inbox row for a run that nobody may drive would wait for ever.
  const found = (await services.store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run ${runId}`)
  await needUsable({ store: services.store, plans: advancer.plans }, found)
  await refuseFlood(services, row, request.signalId)
  const answer = await signalRun(services, { tenantId, runId }, request, sender)
  const now = await services.store.getRun(runKey)
  if (now !== undefined && isTerminalRun(now.status)) await advancer.advance(runKey)
  else if (request.signalType === 'CANCEL' && sender.allowed && engine.cancelRun !== undefined) engine.cancelRun(runKey)
  else engine.wake(runKey)
  return answer
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
): Promise<SignalAnswer> {
  const answer = await deliverSignal(parts, row, request, sender)
  const verdict = await awaitVerdict(parts, row.runKey, `signal:${request.signalId}`)
  if (verdict.kind === 'pending') {
    refuseUnexplained(request)
    return { ...answer, kind: 'pending' }
  }
  if (verdict.record?.eventType === 'SignalRejected') throw refusedBy(verdict.record)
  return answer
}
