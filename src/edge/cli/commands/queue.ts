/** `keelson queue`: runs that are admitted and not started yet, in the order in which they would start. */
import { appendAll } from '../../../core/collections/append-all.ts'
import { isForeign } from '../../../core/engine/engine-type.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { openRows } from '../open/look.ts'
import { howToDrive, isQueued, WAITING, whyPending } from '../drive/run-lease.ts'
import { shortId, timeOfDay } from '../terminal/format.ts'
import { publicRow } from '../output/public-row.ts'
import { printTable } from '../terminal/table.ts'

const PAGE = 500

export async function queue({ options, terminal }: Call): Promise<number> {
  const source = await openRows(options)
  try {
    const rows: RunRow[] = []
    for (let cursor: string | undefined; ;) {
      const page = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const { runs, next } = await source.list({ status: WAITING }, page)
      appendAll(
        rows,
        runs.filter((row) => !isForeign(row)),
      )
      if (next === undefined) break
      cursor = next
    }
    rows.reverse()
    if (options.json) for (const row of rows) terminal.json(publicRow(row))
    else if (rows.length === 0) terminal.line('nothing is queued')
    else printTable(terminal, ['RUN', 'PLAN', 'STATUS', 'QUEUED', 'STARTS'], rows.map(rowCells))
    return EXIT.completed
  } finally {
    await source.close()
  }
}

function rowCells(row: RunRow): readonly string[] {
  return [shortId(row.runId), `${row.planId} ${row.planVersion}`, row.status, timeOfDay(row.createdAt), startText(row)]
}

/** What must happen before it starts. */
function startText(row: RunRow): string {
  return isQueued(row) ? howToDrive(row) : (whyPending(row) ?? '')
}
