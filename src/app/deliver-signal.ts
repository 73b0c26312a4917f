/**
 * A signal on its way to a run: into the inbox, then whoever drives the run is woken. Nobody drives an ended run, so its
 * answer is written here; a cancel by somebody who may is also the engine's own to carry out (TMP-07).
 */
import { isTerminalRun } from '../core/run/transitions.ts'
import type { EngineHost } from '../ports/engine.ts'
import type { RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import type { Services } from './services.ts'
import { refuseFlood } from './signal-rate.ts'
import { signalRun, type SignalAnswer, type SignalRequest, type SignalSender } from './signal-run.ts'

export interface DeliveryParts {
  readonly services: Pick<Services, 'store' | 'random' | 'clock'>
  readonly advancer: Pick<RunAdvancer, 'advance'>
  readonly engine: Pick<EngineHost, 'wake' | 'cancelRun'>
}

export async function deliverSignal(
  { services, advancer, engine }: DeliveryParts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalAnswer> {
  const { runKey, tenantId, runId } = row
  await refuseFlood(services, row, request.signalId)
  const answer = await signalRun(services, { tenantId, runId }, request, sender)
  const now = await services.store.getRun(runKey)
  if (now !== undefined && isTerminalRun(now.status)) await advancer.advance(runKey)
  else if (request.signalType === 'CANCEL' && sender.allowed && engine.cancelRun !== undefined) engine.cancelRun(runKey)
  else engine.wake(runKey)
  return answer
}
