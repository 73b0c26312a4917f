/** Where a server tells alerts: as lines of its log, and at an address. Nobody follows the runs for alerts that nobody wants. */
import { isAtLeast, type Alert, type AlertPriority } from '../../../core/alerts/catalogue.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { OpenOptions } from '../../../main.ts'
import type { Options } from '../terminal/command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Config } from './config.ts'

export function alertsOf(
  config: Config,
  options: Options,
  terminal: Terminal,
): Pick<OpenOptions, 'onAlert' | 'alertWebhook'> {
  const least = config.get('alerts.log') as AlertPriority | 'off'
  const tell = options.json || config.get('log') === 'json' ? jsonLine(terminal) : textLine(terminal)
  return {
    ...(least === 'off' ? {} : { onAlert: (alert: Alert) => (isAtLeast(alert, least) ? tell(alert) : undefined) }),
    ...webhookOf(config),
  }
}

function webhookOf(config: Config): Pick<OpenOptions, 'alertWebhook'> {
  const [url, secret] = [config.get('alerts.webhook.url'), config.get('alerts.webhook.secret')]
  if (url === undefined) return {}
  if (secret === undefined)
    return fail('CONFIG_INVALID', 'alerts.webhook.url needs alerts.webhook.secret (KEELSON_ALERTS_WEBHOOK_SECRET)')
  const priority = config.get('alerts.webhook.priority') as AlertPriority
  return { alertWebhook: { url, secret, priority, allow: config.get('alerts.webhook.allow') } }
}

function jsonLine(terminal: Terminal): (alert: Alert) => void {
  return (alert) => terminal.json({ log: 'alert', at: isoFromMs(Date.now()), ...alert })
}

function textLine(terminal: Terminal): (alert: Alert) => void {
  const { red, yellow, dim } = terminal.paint
  return ({ priority, code, tenantId = '', runId = '', detail }) => {
    const paint = priority === 'P1' ? red : yellow
    const about = [tenantId, runId].filter((text) => text !== '').join('/')
    terminal.errorLine(`${paint(`alert ${priority} ${code}`)} ${about} ${dim(detail)}`)
  }
}
