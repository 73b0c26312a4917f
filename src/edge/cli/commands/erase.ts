/** `keelson erase`: deletes the personal values of an ended run, with a record of it in the log. */
import { fail } from '../../../core/problems/problem.ts'
import type { Call } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { shortId } from '../terminal/format.ts'
import { openExisting } from '../open/session.ts'

export async function erase({ args, options, terminal }: Call): Promise<number> {
  const reason = options.text('reason') ?? fail('USAGE', 'say why: --reason <text>; it is recorded in the log')
  const keelson = await openExisting(options)
  try {
    const { row } = await findRun(keelson, args[0] ?? '')
    const id = shortId(row.runId)
    const question = `Delete all inputs, outputs and messages of run ${id} (${row.planId}) for ever?`
    if (!(await confirm(question, options, terminal))) {
      terminal.line('nothing was deleted')
      return EXIT.completed
    }
    const answer = await keelson.maintenance.erase(row, { reason, actorId: 'local' })
    if (options.json) terminal.json({ runId: row.runId, ...answer })
    else {
      const { green, bold, cyan } = terminal.paint
      terminal.line(`${green('✔')} ${bold('erased')}   run ${id}, events up to ${answer.erasedUpTo}`)
      if (!answer.recorded) terminal.line('  the log had recorded it before; the deletion was repeated')
      terminal.line('  not erased       backups, bundles and copies made before: they still hold what was deleted')
      terminal.line(`  check            ${cyan(`keelson verify ${id}`)}`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
