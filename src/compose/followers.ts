/** Whoever is told when a run of this process moves: listeners, readers that wait, and the projectors of views and alerts. */
import { logLines } from '../adapters/telemetry/log-lines.ts'
import { openTelemetry } from '../adapters/telemetry/open-telemetry.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { RunAdvancer } from '../app/advance/advance-run.ts'
import { MoveWatch } from '../app/feed/watch-moves.ts'
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

/** How often the feed is asked which runs of other processes moved: a view is to be at most a second behind (PRJ-16). */
const FEED_MS = 500

type Followers = Pick<Parts, 'listeners' | 'moves' | 'projectors' | 'alerts'>

export async function followersOf(
  services: Services,
  advancer: RunAdvancer,
  options: OpenOptions,
  isSimulated: boolean,
): Promise<Followers> {
  const { store, clock } = services
  const { follows = true } = options
  const feed = follows === 'all' ? feedOf(services, options) : undefined
  const redact = (text: string): string => services.redactors?.text(text) ?? text
  const teller = follows === false ? undefined : alertTeller(options, redact, alertSink(options))
  return {
    listeners: await listenersOf(services, advancer, options),
    moves: new Moves(systemTimers),
    projectors: new Projectors({
      store,
      clock,
      plans: advancer.plans,
      timers: systemTimers,
      teller,
      feed,
      isSimulated,
    }),
    alerts: teller,
  }
}

/** A Keelson opened for one tenant follows that tenant's runs alone. */
function feedOf({ store }: Services, { tenantId }: OpenOptions): Pick<MoveWatch, 'listen'> {
  const watch = new MoveWatch({ store, timers: systemTimers, pollMs: FEED_MS })
  if (tenantId === undefined) return watch
  return {
    listen: ({ moved, lost }) =>
      watch.listen({ moved: (runs) => moved(runs.filter(({ run }) => run.tenantId === tenantId)), lost }),
  }
}

async function listenersOf(
  services: Services,
  advancer: RunAdvancer,
  { telemetry, log }: OpenOptions,
): Promise<Listeners> {
  const listeners = new Listeners({ services, advancer, tell: warnOfProblem })
  if (telemetry === true) listeners.observeBare(await openTelemetry())
  if (log !== undefined) listeners.observeBare(logLines(log))
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
    moves.moved(runKey, report)
    if (follows !== false) projectors.moved(runKey, report)
    if (isTerminalRun(report.status)) services.redactors?.ended(runKey)
  }
}
