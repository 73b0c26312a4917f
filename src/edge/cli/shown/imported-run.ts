/**
 * Shows a run whose log was imported: what people see of it, without our plan and our rules, and that nobody drives it here.
 */
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import { headerLines } from '../files/header-lines.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { oneLine, plural } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

const ERROR_CHARS = 80

export async function showImported(
  handle: ReadableRun,
  stepId: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const snapshot = await handle.snapshot()
  const steps = stepId === undefined ? snapshot.steps : [oneOf(snapshot.steps, stepId)]
  if (options.json) {
    terminal.json(stepId === undefined ? { ...snapshot, imported: true } : { runId: handle.runId, ...steps[0] })
    return EXIT.completed
  }
  for (const line of headerLines(terminal, handle, options)) terminal.line(line)
  terminal.line()
  if (steps.length > 0) printTable(terminal, ['STEP', 'STATUS', 'ATTEMPTS', ''], steps.map(rowCells))
  terminal.line()
  const substatus = snapshot.substatus === undefined ? '' : ` ${snapshot.substatus}`
  terminal.line(`  ${snapshot.status}${substatus}, ${plural(snapshot.lastEventSeq, 'event')}`)
  terminal.line(`  its log was imported${isTerminalRun(snapshot.status) ? '' : ': nobody drives it here'}`)
  if (snapshot.inconsistent === true) terminal.line('  its log has an event that cannot follow from those before it')
  return EXIT.completed
}

function oneOf(steps: readonly StepSnapshot[], stepId: string): StepSnapshot {
  return steps.find((step) => step.stepId === stepId) ?? fail('STEP_UNKNOWN', `no event names a step '${stepId}'`)
}

function rowCells({ stepId, status, attempts, error }: StepSnapshot): readonly string[] {
  const what = error === undefined ? '' : oneLine(`${error.code} ${error.message}`, ERROR_CHARS)
  return [stepId, status, String(attempts.length), what]
}
