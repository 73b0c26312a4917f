/** `keelson alerts`: alerts about one run or about all, made of their logs; it changes nothing. */
import type { ViewAlert } from '../../../core/view/fold/view-alert.ts'
import { msFromIso } from '../../../core/time.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { openToRead } from '../open/reading.ts'
import { oneLine, shortId, timeOfDay } from '../terminal/format.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

/** For all runs: their logs are read, and most of them are old. */
const DEFAULT_SINCE = '24h'
const HEADING = ['TIME', 'PRIORITY', 'ALERT', 'RUN', 'SEQ', 'DETAIL']
const DETAIL_CHARS = 200

export async function alerts({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const given = options.text('since')
    const named = args[0] === undefined ? undefined : (await findRun(keelson, args[0])).runId
    const from = given ?? (named === undefined ? DEFAULT_SINCE : undefined)
    const rows: (readonly string[])[] = []
    const filter = {
      ...(named === undefined ? {} : { runId: named }),
      ...(from === undefined ? {} : { since: instantOf(from, '--since', Date.now()) }),
    }
    for await (const alert of keelson.alerts(filter)) {
      if (options.json) terminal.json(alert)
      else rows.push(cellsOf(alert))
    }
    if (options.json) return EXIT.completed
    if (rows.length > 0) printTable(terminal, HEADING, rows)
    else terminal.line(from === undefined ? 'no alerts' : `no alerts since ${from}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function cellsOf({ persistedAt, priority, code, runId, runSeq, detail }: ViewAlert): readonly string[] {
  return [
    timeOfDay(msFromIso(persistedAt ?? '') ?? 0),
    priority,
    code,
    shortId(runId),
    String(runSeq ?? ''),
    oneLine(detail, DETAIL_CHARS),
  ]
}
