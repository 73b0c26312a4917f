/**
 * `keelson events`: the stored log of a run, one line per event; optionally followed until the run ends, or in a form that other
 * programs read.
 */
import { EVENT_FORMS, eventAs, type EventForm } from '../../../core/events/event-forms.ts'
import { checkableViewOf } from '../../../core/events/event-views.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { slotOf, stepSlotOf } from '../../../core/events/slot-of.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { msFromIso } from '../../../core/time.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { oneLine } from '../terminal/format.ts'
import { eventDetail } from '../output/event-detail.ts'
import { printTable } from '../terminal/table.ts'
import { asItIsWritten, openToRead } from '../open/reading.ts'
import type { Terminal } from '../terminal/terminal.ts'

const LOOK_MS = 150

export async function events({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const after = options.whole('after') ?? 0
    const form = formOf(options)
    if (options.flag('follow')) return await followLog(handle, after, options, terminal)
    const trouble = await handle.trouble()
    const records = await handle.records(after, trouble?.soundSeq)
    const damage = trouble === undefined ? await handle.damage() : undefined
    if (options.json || form !== undefined) tellJson(records, damage, form, terminal)
    else if (records.length === 0) terminal.line('no events after that')
    else printTable(terminal, HEADING, records.map(rowCells(terminal, damage)))
    // The sound part was shown.
    if (trouble !== undefined) throw trouble.error
    return tellDamage(damage, handle, options, terminal)
  } finally {
    await keelson.close()
  }
}

const HEADING = ['SEQ', 'TIME', 'EVENT', 'SLOT', 'ATTEMPT', 'DETAIL']
/** The coming events are unknown, so the columns have their usual widths. */
const FOLLOWED_WIDTHS = [4, 12, 22, 16, 7, 0]

/** Ends with the run, or when the user stops it. */
async function followLog(run: ReadableRun, from: number, options: Options, terminal: Terminal): Promise<number> {
  let left = false
  const leave = (): void => {
    left = true
  }
  process.on('SIGINT', leave).on('SIGTERM', leave)
  const damage = await run.damage()
  const handle = await asItIsWritten(run, options)
  const cells = rowCells(terminal, damage)
  const padded = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(FOLLOWED_WIDTHS[at] ?? 0))
      .join('  ')
      .trimEnd()
  const form = formOf(options)
  const isJson = options.json || form !== undefined
  if (!isJson) terminal.line(terminal.paint.dim(padded(HEADING)))
  try {
    for (let after = from; ;) {
      // Asked first: everything written before the end is then in the records.
      const ended = await handle.hasEnded()
      const records = await handle.records(after)
      if (isJson) tellJson(records, damage, form, terminal)
      else for (const record of records) terminal.line(padded(cells(record)))
      after = records.at(-1)?.runSeq ?? after
      if (ended || terminal.isLeft) return tellDamage(damage, handle, options, terminal)
      if (left) return EXIT.detached
      await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
    }
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave)
    handle[Symbol.dispose]?.()
  }
}

const CELLS_BEFORE_DETAIL = 70

type Damage = Awaited<ReturnType<ReadableRun['damage']>>

function isAltered({ runSeq }: LogRecord, damage: Damage): boolean {
  return damage !== undefined && runSeq > damage.soundSeq
}

function formOf(options: Options): EventForm | undefined {
  const written = options.text('as')
  const form = EVENT_FORMS.find((one) => one === written)
  if (written === undefined || form !== undefined) return form
  return fail('USAGE', `--as is ${EVENT_FORMS.join(', ')}, not '${written}'`, didYouMean(written, EVENT_FORMS))
}

/** The other forms cannot say that an event was altered: in them only the sound part is shown. */
function tellJson(
  records: readonly LogRecord[],
  damage: Damage,
  form: EventForm | undefined,
  terminal: Terminal,
): void {
  for (const record of records) {
    if (form === undefined) terminal.json(jsonOf(record, damage))
    else if (!isAltered(record, damage)) terminal.json(eventAs(form, record))
  }
}

function jsonOf(record: LogRecord, damage: Damage): unknown {
  return isAltered(record, damage) ? { ...checkableViewOf(record), altered: damage?.what } : checkableViewOf(record)
}

/** From the first event that does not fit, nothing can be trusted, including what follows. */
function tellDamage(damage: Damage, handle: ReadableRun, options: Options, terminal: Terminal): number {
  if (damage === undefined) return EXIT.completed
  if (!options.json) {
    const { red, bold } = terminal.errorPaint
    const from = `after event ${damage.soundSeq} this log cannot be trusted: ${damage.what}`
    terminal.errorLine(`${red('✖')} ${bold(from)}; keelson verify ${handle.runId}`)
  }
  return EXIT.failed
}

function rowCells({ columns }: Terminal, damage: Damage): (record: LogRecord) => readonly string[] {
  return (record) => [
    `${String(record.runSeq)}${isAltered(record, damage) ? ' ✖' : ''}`,
    clock(record.emittedAt),
    record.eventType,
    slotText(record),
    stepSlotOf(record) === undefined ? '' : String(record.logicalAttemptId),
    oneLine(eventDetail(record), Math.max(30, columns - CELLS_BEFORE_DETAIL)),
  ]
}

function slotText(record: LogRecord): string {
  const slot = slotOf(record, record.decision.firstSeq) ?? ''
  if (slot.startsWith('SIGNAL:') || slot.startsWith('FORK:')) return slot.slice(0, slot.indexOf(':') + 9)
  return slot === 'RUN' ? '' : slot
}

function clock(instant: string): string {
  const at = new Date(msFromIso(instant) ?? 0)
  const part = (value: number, width: number): string => String(value).padStart(width, '0')
  return `${part(at.getHours(), 2)}:${part(at.getMinutes(), 2)}:${part(at.getSeconds(), 2)}.${part(at.getMilliseconds(), 3)}`
}
