/**
 * A signal on its way to a run: into the inbox, then whoever drives the run is woken. Nobody drives an ended run, so its
 * answer is written here; a cancel by somebody who may is also the engine's own to carry out (TMP-07).
 */
import { fail } from '../core/problems/problem.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import type { EngineHost } from '../ports/engine.ts'
import type { RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { needUsable } from './run-trouble.ts'
import type { Services } from './services.ts'
import { refuseFlood } from './signal-rate.ts'
import { signalRun, type SignalAnswer, type SignalRequest, type SignalSender } from './signal-run.ts'

export interface DeliveryParts {
  readonly services: Pick<Services, 'store' | 'random' | 'clock'>
  readonly advancer: Pick<RunAdvancer, 'advance' | 'plans'>
  readonly engine: Pick<EngineHost, 'wake' | 'cancelRun'>
}

export async function deliverSignal(
  { services, advancer, engine }: DeliveryParts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalAnswer> {
  const { runKey, tenantId, runId } = row
  // Looked at anew: a letter to a run that nobody may drive would wait for ever.
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
