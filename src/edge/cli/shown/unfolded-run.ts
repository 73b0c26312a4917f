/**
 * Shows a run without its plan and without a fold, because those killed its processes: its row, and the last event of
 * each step in its log.
 */
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import { headerLines } from '../files/header-lines.ts'
import type { Options } from '../terminal/command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { printTable } from '../terminal/table.ts'
import { planStepOf } from '../../../core/events/slot-of.ts'

interface LastOfStep {
  readonly stepId: string
  readonly eventType: string
  readonly runSeq: number
}

/** Shows it, then throws the reason why it was set aside. */
export async function showUnfolded(handle: ReadableRun, options: Options, terminal: Terminal): Promise<void> {
  const trouble = await handle.trouble()
  if (trouble === undefined) return
  const { runId, planId, planVersion, status } = handle.row
  const steps = await lastOfSteps(handle, trouble.soundSeq)
  if (options.json) terminal.json({ runId, planId, planVersion, status, lastEventSeq: trouble.soundSeq, steps })
  else {
    for (const line of headerLines(terminal, handle, options)) terminal.line(line)
    terminal.line()
    if (steps.length > 0) {
      const rows = steps.map(({ stepId, eventType, runSeq }) => [stepId, eventType, String(runSeq)])
      printTable(terminal, ['STEP', 'LAST EVENT', 'SEQ'], rows)
      terminal.line()
    }
    terminal.line(`  ${status}`)
  }
  throw trouble.error
}

async function lastOfSteps(handle: ReadableRun, soundSeq: number): Promise<readonly LastOfStep[]> {
  const found = new Map<string, LastOfStep>()
  for (const record of await handle.records(0, soundSeq)) {
    const { eventType, runSeq } = record
    const stepId = planStepOf(record)
    if (stepId !== undefined) found.set(stepId, { stepId, eventType, runSeq })
  }
  return [...found.values()]
}
