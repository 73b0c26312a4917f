/** `keelson events`: the log of a run as it is stored, a line per event; followed until the run ends if asked for. */
import { checkableViewOf } from '../../../core/events/event-views.ts'
import type { ForeignRecord } from '../../../core/events/event.ts'
import { slotOf } from '../../../core/events/slot-of.ts'
import { msFromIso } from '../../../core/time.ts'
import type { RunHandle } from '../../../main.ts'
import type { Call, Options } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { oneLine } from '../output/format.ts'
import { eventDetail } from '../output/event-detail.ts'
import { printTable } from '../output/table.ts'
import { openToRead } from '../session.ts'
import type { Terminal } from '../terminal.ts'

const LOOK_MS = 150

export async function events({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const after = options.whole('after') ?? 0
    if (options.flag('follow')) return await followLog(handle, after, options, terminal)
    const trouble = await handle.trouble()
    const records = await handle.records(after, trouble?.soundSeq)
    if (options.json) for (const record of records) terminal.json(checkableViewOf(record))
    else if (records.length === 0) terminal.line('no events after that')
    else printTable(terminal, HEADING, records.map(rowCells(terminal.columns)))
    // What is shown is the sound part.
    if (trouble !== undefined) throw trouble.error
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

const HEADING = ['SEQ', 'TIME', 'EVENT', 'SLOT', 'ATTEMPT', 'DETAIL']
/** What comes is not known yet, so columns are as wide as they mostly need to be. */
const FOLLOWED_WIDTHS = [4, 12, 22, 16, 7, 0]

/** Ends with the run, or when whoever watches has seen enough. */
async function followLog(handle: RunHandle, from: number, options: Options, terminal: Terminal): Promise<number> {
  let left = false
  const leave = (): void => {
    left = true
  }
  process.on('SIGINT', leave).on('SIGTERM', leave)
  const cells = rowCells(terminal.columns)
  const padded = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(FOLLOWED_WIDTHS[at] ?? 0))
      .join('  ')
      .trimEnd()
  if (!options.json) terminal.line(terminal.paint.dim(padded(HEADING)))
  try {
    for (let after = from; ;) {
      // Asked for first: what was written before the end is then in the records.
      const ended = await handle.hasEnded()
      const records = await handle.records(after)
      for (const record of records) {
        if (options.json) terminal.json(checkableViewOf(record))
        else terminal.line(padded(cells(record)))
      }
      after = records.at(-1)?.runSeq ?? after
      if (ended || terminal.isLeft) return EXIT.completed
      if (left) return EXIT.detached
      await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
    }
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave)
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
