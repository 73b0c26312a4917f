/** A run as JSON, one event per line as it happens. The output of steps goes to stderr. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Progress } from './progress.ts'

export function jsonProgress(terminal: Terminal): Progress {
  const release = terminal.catchOthers((text) => terminal.othersText(text, 'stderr'))
  return {
    begin: () => undefined,
    update: (_watch, records) => {
      for (const record of records) terminal.json(viewOf(record))
    },
    note: () => undefined,
    tick: () => undefined,
    end: release,
  }
}
