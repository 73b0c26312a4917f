/** A run as JSON, one event per line as it happens. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Progress } from './progress.ts'

export function jsonProgress(terminal: Terminal): Progress {
  return {
    begin: () => undefined,
    update: (_watch, records) => {
      for (const record of records) terminal.json(viewOf(record))
    },
    note: () => undefined,
    tick: () => undefined,
    end: () => undefined,
  }
}
