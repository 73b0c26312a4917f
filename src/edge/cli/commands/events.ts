/** `keelson events`: the log of a run as it is stored, a line per event. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { ForeignRecord } from '../../../core/events/event.ts'
import { slotOf } from '../../../core/events/slot-of.ts'
import { msFromIso } from '../../../core/time.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { oneLine } from '../output/format.ts'
import { eventDetail } from '../output/event-detail.ts'
import { printTable } from '../output/table.ts'
import { openExisting } from '../session.ts'

export async function events({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options.dir)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const records = await handle.records(options.whole('after') ?? 0)
    if (options.json) for (const record of records) terminal.json(viewOf(record))
    else if (records.length === 0) terminal.line('no events after that')
    else
      printTable(
        terminal,
        ['SEQ', 'TIME', 'EVENT', 'SLOT', 'ATTEMPT', 'DETAIL'],
        records.map(rowCells(terminal.columns)),
      )
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

const CELLS_BEFORE_DETAIL = 70

function rowCells(columns: number): (record: ForeignRecord) => readonly string[] {
  return (record) => [
    String(record.runSeq),
    clock(record.emittedAt),
    record.eventType,
    slotText(record),
    record.stepId === undefined ? '' : String(record.logicalAttemptId),
    oneLine(eventDetail(record), Math.max(30, columns - CELLS_BEFORE_DETAIL)),
  ]
}

function slotText(record: ForeignRecord): string {
  const slot = slotOf(record, record.decision.firstSeq) ?? ''
  if (slot.startsWith('SIGNAL:') || slot.startsWith('FORK:')) return slot.slice(0, slot.indexOf(':') + 9)
  return slot === 'RUN' ? '' : slot
}

function clock(instant: string): string {
  const at = new Date(msFromIso(instant) ?? 0)
  const part = (value: number, width: number): string => String(value).padStart(width, '0')
  return `${part(at.getHours(), 2)}:${part(at.getMinutes(), 2)}:${part(at.getSeconds(), 2)}.${part(at.getMilliseconds(), 3)}`
}
