/** A run as plain lines, for pipes and CI: one line for each event, nothing redrawn. */
import type { LogRecord } from '../../../core/events/event.ts'
import { msFromIso } from '../../../core/time.ts'
import type { RunWatch } from './run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { shortId } from '../terminal/format.ts'
import { happening } from './happening.ts'
import type { Progress } from './progress.ts'
import { colourOf, SYMBOLS } from './styled-row.ts'

/** With `names`, each line names its run. */
export function lineProgress(terminal: Terminal, names = false): Progress {
  const began = new Map<string, number>()
  const since = (record: LogRecord): string => {
    const at = msFromIso(record.emittedAt) ?? 0
    const first = began.get(record.runId) ?? at
    began.set(record.runId, first)
    return `${((at - first) / 1000).toFixed(1)} s`.padStart(8)
  }
  return {
    begin: (_watch, header) => {
      for (const line of header) terminal.line(line)
    },
    update: (watch: RunWatch, records) => {
      for (const record of records) {
        const time = since(record)
        const told = happening(record, watch.graph)
        if (told === undefined) continue
        const symbol = colourOf(terminal.paint, told.mark)(SYMBOLS[told.mark])
        const run = names ? `${shortId(record.runId)} ` : ''
        terminal.line(`${terminal.paint.dim(`${run}${time}`)}  ${symbol} ${told.text}`)
      }
    },
    note: (text) => terminal.line(text),
    tick: () => undefined,
    end: () => undefined,
  }
}
