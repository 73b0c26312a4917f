/** `keelson journal`: what was stored of a run, and when, by the clock of the store, with both attempt counters. */
import { msFromIso } from '../../../core/time.ts'
import type { JournalLine } from '../../../core/view/show/journal.ts'
import { findRun } from '../open/find-run.ts'
import { openToRead } from '../open/reading.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { timeOfDay } from '../terminal/format.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

const HEADING = ['SEQ', 'STORED', 'EVENT', 'STEP', 'ATTEMPT', 'ENGINE', 'BY', 'CAUSE']

export async function journal({ args, options, terminal }: Call): Promise<number> {
  const now = Date.now()
  const since = options.text('since')
  const until = options.text('until')
  const window = {
    ...(since === undefined ? {} : { from: instantOf(since, '--since', now) }),
    ...(until === undefined ? {} : { to: instantOf(until, '--until', now) }),
  }
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const lines: JournalLine[] = []
    for await (const line of handle.journal(window)) {
      if (options.json) terminal.json(line)
      else lines.push(line)
    }
    if (lines.length > 0) printTable(terminal, HEADING, lines.map(rowCells))
    else if (!options.json) terminal.line('nothing was stored then')
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function rowCells(line: JournalLine): readonly string[] {
  const { runSeq, persistedAt, eventType, stepId, logicalAttemptId, engineAttemptId, emittedBy, cause } = line
  return [
    String(runSeq),
    timeOfDay(msFromIso(persistedAt) ?? 0),
    eventType,
    stepId ?? '',
    stepId === undefined ? '' : String(logicalAttemptId),
    stepId === undefined ? '' : String(engineAttemptId),
    emittedBy,
    cause,
  ]
}
