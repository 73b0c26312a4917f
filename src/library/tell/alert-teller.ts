/**
 * Where a process tells the alerts about the runs it drives: to whoever asked for them, as lines of its log, and to an address. Where
 * nobody asked for any, nobody follows the runs for them.
 */
import type { Alert, AlertPriority } from '../../core/alerts/catalogue.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { visibleJson } from '../../core/visible-text.ts'
import { warnOfProblem } from './receipt-service.ts'

export interface AlertOptions {
  /**
   * Told each alert about the runs this process drives, and about its subscriptions. A process that takes a run over may tell
   * an alert again; its `alertId` is the same. Without it, and without `log` and `alertWebhook`, nothing is followed; `keelson alerts`
   * reads logs.
   */
  readonly onAlert?: (alert: Alert) => void
  readonly log?: (line: string) => void
  /**
   * Sends alerts of this priority or a higher one to an address, signed as Standard Webhooks. Private addresses need to be named in
   * `allow`, as for `egress`. Default priority P2.
   */
  readonly alertWebhook?: {
    readonly url: string
    /** Base64, with or without `whsec_` before it. */
    readonly secret: string
    readonly priority?: AlertPriority
    readonly allow?: readonly string[]
  }
}

/** Where alerts go by themselves. */
export interface AlertSink {
  send(alert: Alert): void
  close(): Promise<void>
}

export interface AlertTeller {
  alert(alert: Alert): void
  /** What kept a view from being made: for the log. */
  failed(thrown: unknown): void
  close(): Promise<void>
}

/** Undefined where nobody listens. */
export function alertTeller(
  { onAlert, log }: AlertOptions,
  redact: (text: string) => string,
  sink?: AlertSink,
): AlertTeller | undefined {
  if (onAlert === undefined && log === undefined && sink === undefined) return undefined
  const line = (level: string, event: string, rest: object): void => {
    const text = JSON.stringify({ timestamp: new Date().toISOString(), level, event, ...rest })
    log?.(visibleJson(redact(text)))
  }
  return {
    alert: (alert) => {
      guarded(() => sink?.send(alert))
      guarded(() => {
        line(alert.priority === 'P1' ? 'error' : 'warn', 'alert.raised', alert)
        onAlert?.(alert)
      })
    },
    failed: (thrown) => guarded(() => line('error', 'projector.failed', { message: messageOf(thrown) })),
    close: async () => sink?.close(),
  }
}

/** The one problem of a subscription that is an alert too (OBS-04); undefined for others. */
export function deliveryAlert({ code, message, details }: Problem, subscriber: string): Alert | undefined {
  if (code !== 'EVENT_BUS_DELIVERY_FAILED') return undefined
  const { tenantId, runId, runSeq } = details as { readonly tenantId: string; readonly runId: string; runSeq: number }
  const alertId = `${runId}:${runSeq}:${code}:${subscriber}`
  return { alertId, code, priority: 'P1', runId, tenantId, runSeq, detail: message }
}

/** Nothing that a listener throws reaches a run. */
function guarded(work: () => void): void {
  try {
    work()
  } catch (thrown) {
    warnOfProblem(problem('LISTENER_FAILED', `a listener failed: ${messageOf(thrown)}`))
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
