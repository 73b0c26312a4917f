/** A run that was admitted and has no driver yet: which command starts it. */
import type { RunHandle } from '../../../main.ts'
import { howToDrive, isQueued, needsApproval } from './run-lease.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function tellQueued(
  { runId, row, existed }: Pick<RunHandle, 'runId' | 'row' | 'existed'>,
  options: Options,
  terminal: Terminal,
): number {
  if (options.json) terminal.json({ result: { runId, status: row.status, queued: isQueued(row) } })
  else {
    const { bold, cyan } = terminal.paint
    terminal.line(
      `${bold(row.planId)} ${row.planVersion}   run ${bold(shortId(runId))} ${existed ? 'was admitted before' : 'is queued'}`,
    )
    if (isQueued(row)) terminal.line(`  ${needsApproval(row) ? 'approve' : 'start  '}    ${cyan(howToDrive(row))}`)
  }
  return options.flag('queue') ? EXIT.completed : EXIT.detached
}
