/** The log of a server: a line for each request, and what nobody expected with its stack, which never leaves in an answer. */
import { isoFromMs } from '../../../core/time.ts'
import type { ServerOptions } from '../../http/server.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Log = Required<Pick<ServerOptions, 'served' | 'tell'>>

/** `form`: as it is set; `isJson`: everything on this output is JSON. */
export function requestLog(form: string, isJson: boolean, terminal: Terminal): Log {
  return isJson ? jsonLog(terminal, form !== 'off') : textLog(terminal, form !== 'off')
}

function jsonLog(terminal: Terminal, shows: boolean): Log {
  const at = (): string => isoFromMs(Date.now())
  return {
    served: ({ ms, ...line }) => {
      if (shows) terminal.json({ log: 'request', at: at(), ...line, ms: rounded(ms) })
    },
    tell: (thrown, correlationId) => terminal.json({ log: 'error', at: at(), correlationId, error: stackOf(thrown) }),
  }
}

function textLog(terminal: Terminal, shows: boolean): Log {
  const { dim, red, yellow } = terminal.paint
  return {
    served: ({ method, route, status, ms, tenantId, actorId, correlationId }) => {
      if (!shows) return
      const who = tenantId === undefined ? '' : ` ${tenantId}/${actorId ?? ''}`
      const code = status >= 500 ? red(String(status)) : status >= 400 ? yellow(String(status)) : String(status)
      terminal.line(`${code} ${method} ${route} ${dim(`${rounded(ms)} ms${who} ${correlationId}`)}`)
    },
    tell: (thrown, correlationId) => terminal.errorLines(`${correlationId} ${stackOf(thrown)}`),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
