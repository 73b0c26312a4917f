/** How a run ended, for a person: in one line, what was undone, and the commands that lead on. */
import { parseStepSlot } from '../../../core/events/slot.ts'
import { engineTypeOf, isOutside } from '../../../core/run/engines.ts'
import { snapshotOf } from '../../../core/view/snapshot-of.ts'
import type { RunResult } from '../../../main.ts'
import type { RunWatch } from '../run-watch.ts'
import type { Terminal } from '../terminal.ts'
import { duration, oneLine, shortId } from './format.ts'
import { errorText } from './picture.ts'
import { tellUndone } from './undone.ts'

const OUTPUT_CHARS = 600

export async function tellEnd(terminal: Terminal, watch: RunWatch, result: RunResult): Promise<void> {
  const { green, red, yellow, bold } = terminal.paint
  const id = shortId(result.runId)
  const { totalDurationMs = 0, rootCause } = snapshotOf(watch.view)
  const time = duration(totalDurationMs)
  terminal.line()
  if (result.status === 'COMPLETED') {
    terminal.line(`${green('✔')} ${bold('completed')} in ${time}`)
    if (result.output !== undefined)
      terminal.line(`  output     ${oneLine(JSON.stringify(result.output), OUTPUT_CHARS)}`)
    await tellUndone(terminal, watch)
    next(terminal, 'log', `keelson events ${id}`)
    return
  }
  if (result.status === 'CANCELLED') {
    terminal.line(`${yellow('■')} ${bold('cancelled')} after ${time}`)
    next(terminal, 'try again', `keelson fork ${id}`)
    return
  }
  const slot = result.error?.slot
  const tries = rootCause?.attempt ?? 1
  const retryable = tries > 1 ? `  (after ${tries} attempts)` : rootCause?.retryable === true ? '' : '  (not retryable)'
  const what =
    result.error === undefined
      ? ''
      : `   ${slot === undefined ? '' : `${slot}  `}${errorText(result.error)}${retryable}`
  terminal.line(`${red('✖')} ${bold('failed')} after ${time}${what}`)
  await tellUndone(terminal, watch)
  const step = slot === undefined ? undefined : parseStepSlot(slot)?.stepId
  next(terminal, 'why', `keelson why ${id}${step === undefined ? '' : ` ${step}`}`)
  next(terminal, 'try again', `keelson fork ${id}`)
}

function next(terminal: Terminal, name: string, command: string): void {
  terminal.line(`  ${name.padEnd(11)}${terminal.paint.cyan(command)}`)
}

export function tellLeft(terminal: Terminal, watches: readonly RunWatch[]): void {
  terminal.line()
  for (const { handle, view } of watches) {
    const id = shortId(handle.runId)
    const person = snapshotOf(view).steps.some((step) => step.waitingForManualCompletion === true)
    terminal.line(`… run ${id} is left as it is${person ? ', waiting for a person' : ''}`)
    if (person) next(terminal, 'tasks', `keelson tasks ${id}`)
    const { engineType } = handle.row
    if (!isOutside(engineTypeOf(engineType))) next(terminal, 'go on', `keelson resume ${id}`)
    else {
      next(terminal, 'look at', `keelson show ${id}`)
      next(terminal, 'go on', `keelson worker --engine ${engineType}`)
    }
  }
}
