/** `keelson export`: a run as one self-contained bundle, to a file or to stdout. Nothing is deleted. */
import { basename, dirname, resolve } from 'node:path'
import { visibleJson } from '../../../core/visible-text.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { plural, shortId } from '../terminal/format.ts'
import { openToExamine } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function exportBundle({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToExamine(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const { row } = handle
    const out = options.text('out')
    if (out === undefined) {
      for await (const line of keelson.maintenance.bundle(row)) terminal.line(visibleJson(line))
      noteDamage((await handle.trouble())?.error.problems[0].message, terminal)
      return EXIT.completed
    }
    const path = resolve(out)
    const { events, damage } = await keelson.maintenance.export(row, dirname(path), basename(path))
    noteDamage(damage, terminal)
    if (options.json)
      terminal.json({ runId: row.runId, bundle: out, events, ...(damage === undefined ? {} : { damage }) })
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

/** A damaged log is evidence too: it is exported as stored, and reported as damaged. */
function noteDamage(damage: string | undefined, terminal: Terminal): void {
  if (damage !== undefined) terminal.errorLine(`exported as it is stored, and it does not verify: ${damage}`)
}
