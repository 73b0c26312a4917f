/** The address that alerts go to by themselves, behind the one door out. */
import { openDoor } from '../adapters/egress/door.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { AlertWebhook } from '../app/alerts/alert-webhook.ts'
import { egressPolicy } from '../core/egress/policy.ts'
import { unwrap } from '../core/result.ts'
import type { AlertSink } from '../library/tell/alert-teller.ts'
import { warnOfProblem } from '../library/tell/receipt-service.ts'
import { Wakes } from '../library/tell/wakes.ts'
import type { OpenOptions } from './open-options.ts'

const LEAST = 'P2'

export function alertSink({ alertWebhook }: OpenOptions): AlertSink | undefined {
  if (alertWebhook === undefined) return undefined
  const { url, secret, priority = LEAST, allow = [] } = alertWebhook
  const egress = openDoor({ policy: unwrap(egressPolicy(allow)), timers: systemTimers })
  const clock = { now: Date.now }
  const parts = { egress, clock, timers: systemTimers, random: systemRandom, url, secret, tell: warnOfProblem }
  const webhook = new AlertWebhook(parts)
  const wakes = new Wakes(priority, clock.now)
  return {
    send: (alert) => {
      const meant = wakes.of(alert)
      if (meant !== undefined) webhook.send(meant)
    },
    close: () => webhook.close(),
  }
}
