/** `keelson show`: a run as it is now, from its log. With --json the whole snapshot. */
import { snapshotOf } from '../../../core/view/snapshot-of.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { Call } from '../command.ts'
import { header } from '../drive-one.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { howToDrive, isDriven } from '../run-lease.ts'
import { rowsOf } from '../output/picture.ts'
import { nameWidth, styledRow } from '../output/styled-row.ts'
import { isAlone, tellRelated } from '../output/related.ts'
import { tellEnd } from '../output/summary.ts'
import { watchRun } from '../run-watch.ts'
import { openToRead } from '../session.ts'

export async function show({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const watch = await watchRun(keelson, handle)
    await watch.pump()
    const snapshot = snapshotOf(watch.view)
    const related = await handle.related()
    if (options.json) {
      terminal.json(isAlone(related) ? snapshot : { ...snapshot, related })
      if (watch.trouble !== undefined) throw watch.trouble
      return EXIT.completed
    }
    terminal.line(`${header(terminal, handle, options)}\n`)
    const rows = rowsOf(watch, Date.now())
    const names = nameWidth(rows)
    for (const row of rows) terminal.line(styledRow(row, names, terminal.columns, terminal.paint))
    tellRelated(terminal, related)
    // The picture is that of its sound part; what follows says the rest.
    if (watch.trouble !== undefined) throw watch.trouble
    if (isTerminalRun(snapshot.status)) {
      await tellEnd(terminal, watch, await handle.result())
      return EXIT.completed
    }
    terminal.line()
    terminal.line(
      `  ${snapshot.status}${snapshot.substatus === undefined ? '' : ` ${snapshot.substatus}`}${snapshot.message === undefined ? '' : `   ${snapshot.message}`}`,
    )
    if (!isDriven(handle.row)) terminal.line(`  nobody drives it: ${terminal.paint.cyan(howToDrive(handle.row))}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
