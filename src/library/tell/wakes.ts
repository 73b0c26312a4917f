/**
 * Which alerts go to somebody by themselves (OBS-06). What only informs does not, until it has come back for the same run over a time:
 * then it goes once, one priority higher.
 */
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import { isAtLeast, mayWake, type Alert, type AlertPriority } from '../../core/alerts/catalogue.ts'
import { LIMITS } from '../../core/limits.ts'

const KEPT = 10_000
const OFTEN = 3

interface Seen {
  readonly since: number
  readonly times: number
  readonly isTold: boolean
}

export class Wakes {
  readonly #least: AlertPriority
  readonly #now: () => number
  readonly #seen = new BoundedCache<string, Seen>(KEPT)

  constructor(least: AlertPriority, now: () => number) {
    this.#least = least
    this.#now = now
  }

  /** The alert as it is to be sent; undefined when it goes to nobody. */
  of(alert: Alert): Alert | undefined {
    const meant = mayWake(alert) ? alert : this.#persisting(alert)
    return meant !== undefined && isAtLeast(meant, this.#least) ? meant : undefined
  }

  #persisting(alert: Alert): Alert | undefined {
    const key = JSON.stringify([alert.tenantId, alert.runId, alert.code])
    const now = this.#now()
    const { since, times, isTold } = this.#seen.get(key) ?? { since: now, times: 0, isTold: false }
    const isPersistent = times + 1 >= OFTEN && now - since >= LIMITS.alertPersistsMs
    this.#seen.set(key, { since, times: times + 1, isTold: isTold || isPersistent })
    return isPersistent && !isTold ? { ...alert, priority: 'P2', persistent: true } : undefined
  }
}
