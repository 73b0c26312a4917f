/**
 * Sends alerts to an address, signed as Standard Webhooks, through the one door out. What is not taken is sent again with growing pauses;
 * the id is that of the alert, so that a receiver knows a repeat. What waits is kept in memory: the logs and the audit log are the record.
 */
import type { Alert } from '../../core/alerts/catalogue.ts'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Random } from '../../ports/random.ts'
import type { Timers } from '../../ports/timers.ts'
import { deliveryDelayMs } from '../feed/backoff.ts'
import { describeError } from '../redact/describe-error.ts'
import { standardMac } from './standard-webhook.ts'

export interface WebhookParts {
  readonly egress: Egress
  readonly clock: Pick<Clock, 'now'>
  readonly timers: Pick<Timers, 'after'>
  readonly random: Random
  readonly url: string
  readonly secret: string
  /** Told what could not be delivered. */
  readonly tell: (problem: Problem) => void
}

interface Waiting {
  readonly alert: Alert
  failures: number
  cancel: (() => void) | undefined
}

export class AlertWebhook {
  readonly #parts: WebhookParts
  readonly #waiting = new Set<Waiting>()
  readonly #sending = new Set<Promise<void>>()
  #isClosed = false

  constructor(parts: WebhookParts) {
    this.#parts = parts
  }

  send(alert: Alert): void {
    if (this.#waiting.size >= LIMITS.alertsWaiting) return this.#giveUp(alert, 'too many others wait')
    const waiting: Waiting = { alert, failures: 0, cancel: undefined }
    this.#waiting.add(waiting)
    this.#try(waiting)
  }

  /** What is under way ends; what waits for another try is told as not delivered. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#sending)
    for (const { alert, cancel } of this.#waiting) {
      cancel?.()
      this.#giveUp(alert, 'the process ends')
    }
    this.#waiting.clear()
  }

  #try(waiting: Waiting): void {
    const sending = this.#deliver(waiting).finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  async #deliver(waiting: Waiting): Promise<void> {
    const { alert } = waiting
    const failure = await this.#post(alert)
    if (failure === undefined) return void this.#waiting.delete(waiting)
    waiting.failures += 1
    if (failure.isFinal || waiting.failures >= LIMITS.alertTries) {
      this.#waiting.delete(waiting)
      return this.#giveUp(alert, failure.why)
    }
    if (this.#isClosed) return
    const { timers, random } = this.#parts
    waiting.cancel = timers.after(deliveryDelayMs(waiting.failures, random), () => this.#try(waiting))
  }

  /** Undefined when it was taken. */
  async #post(alert: Alert): Promise<{ readonly why: string; readonly isFinal: boolean } | undefined> {
    const { egress, clock, url, secret, timers } = this.#parts
    const limit = new AbortController()
    const cancel = timers.after(LIMITS.alertSendMs, () => limit.abort(new Error('it took too long')))
    try {
      const { status } = await egress.send(requestOf(url, secret, alert, clock.now()), limit.signal)
      if (status >= 200 && status < 300) return undefined
      return { why: `it answered ${status}`, isFinal: status === 410 }
    } catch (thrown) {
      const isFinal = thrown instanceof KeelsonError && !thrown.problems[0].retryable
      return { why: describeError(thrown).errorText.message, isFinal }
    } finally {
      cancel()
    }
  }

  #giveUp({ alertId }: Alert, why: string): void {
    const host = new URL(this.#parts.url).host
    this.#parts.tell(problem('ALERT_NOT_DELIVERED', `alert ${alertId} did not reach ${host}: ${why}`))
  }
}

function requestOf(url: string, secret: string, alert: Alert, now: number): Parameters<Egress['send']>[0] {
  const body = JSON.stringify({ type: 'alert.raised', timestamp: new Date(now).toISOString(), data: alert })
  const { alertId: id } = alert
  const seconds = String(Math.floor(now / 1_000))
  const mac = standardMac(secret, { id, seconds }, Buffer.from(body)).toString('base64')
  return {
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${mac}`,
    },
    body,
  }
}
