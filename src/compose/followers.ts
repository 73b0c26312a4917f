/** Whoever is told when a run of this process moves: listeners, readers that wait, and the projectors of views and alerts. */
import { logLines } from '../adapters/telemetry/log-lines.ts'
import { openTelemetry } from '../adapters/telemetry/open-telemetry.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { RunAdvancer } from '../app/advance/advance-run.ts'
import type { Services } from '../app/services.ts'
import { isTerminalRun } from '../core/run/state/transitions.ts'
import { alertTeller } from '../library/tell/alert-teller.ts'
import { Listeners } from '../library/tell/listeners.ts'
import { Moves } from '../library/tell/moves.ts'
import type { Parts } from '../library/parts.ts'
import { Projectors } from '../library/tell/projectors.ts'
import { warnOfProblem } from '../library/tell/receipt-service.ts'
import { alertSink } from './alert-sink.ts'
import type { OpenOptions } from './open-options.ts'

type Followers = Pick<Parts, 'listeners' | 'moves' | 'projectors' | 'alerts'>

export async function followersOf(
  services: Services,
  advancer: RunAdvancer,
  options: OpenOptions,
  isSimulated: boolean,
): Promise<Followers> {
  const { store, clock } = services
  const { follows = true } = options
  const redact = (text: string): string => services.redactors?.text(text) ?? text
  const teller = !follows ? undefined : alertTeller(options, redact, alertSink(options))
  return {
    listeners: await listenersOf(services, advancer, options),
    moves: new Moves(systemTimers),
    projectors: new Projectors({ store, clock, plans: advancer.plans, timers: systemTimers, teller, isSimulated }),
    alerts: teller,
  }
}

async function listenersOf(
  services: Services,
  advancer: RunAdvancer,
  { telemetry, log }: OpenOptions,
): Promise<Listeners> {
  const listeners = new Listeners({ services, advancer, tell: warnOfProblem })
  if (telemetry === true) listeners.observe(await openTelemetry())
  if (log !== undefined) listeners.observe(logLines(log))
  return listeners
}

export function progressTeller(
  { onProgress, follows = true }: OpenOptions,
  { listeners, moves, projectors }: Followers,
  services: Services,
): NonNullable<OpenOptions['onProgress']> {
  return (runKey, report) => {
    onProgress?.(runKey, report)
    listeners.moved(runKey, report)
    moves.moved(runKey)
    if (follows) projectors.moved(runKey, report)
    if (isTerminalRun(report.status)) services.redactors?.ended(runKey)
  }
}
