/** `keelson export`: a run as one self-contained bundle, to a file or to stdout. Nothing is deleted. */
import { basename, dirname, resolve } from 'node:path'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { plural, shortId } from '../output/format.ts'
import { openExisting } from '../session.ts'

export async function exportBundle({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const { row } = await findRun(keelson, args[0] ?? '')
    const out = options.text('out')
    if (out === undefined) {
      for await (const line of keelson.upkeep.bundle(row)) terminal.line(line)
      return EXIT.completed
    }
    const path = resolve(out)
    const { events } = await keelson.upkeep.export(row, dirname(path), basename(path))
    if (options.json) terminal.json({ runId: row.runId, bundle: out, events })
    else {
      const { green, bold, cyan } = terminal.paint
      terminal.line(`${green('✔')} ${bold('exported')}   run ${shortId(row.runId)}, ${plural(events, 'event')}`)
      terminal.line(`  check            ${cyan(`keelson verify ${out}`)}`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
