/** How a run ended, for a person: in one line, what was undone, and the commands for the next step. */
import { parseStepSlot } from '../../../core/events/slot.ts'
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import { snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import type { RunResult } from '../../../main.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RunSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import { flow, widthOf, wrapped, type Part } from '../terminal/flow.ts'
import { duration, oneLine, shortId } from '../terminal/format.ts'
import { isHeld } from '../progress/standing.ts'
import { errorText } from '../progress/picture.ts'
import { tellCancelled } from './cancelled.ts'
import { nextCommand as next } from '../terminal/next-command.ts'
import { tellUndone } from './undone.ts'

const OUTPUT_CHARS = 600

export async function tellEnd(terminal: Terminal, watch: RunWatch, result: RunResult): Promise<void> {
  const { green, red, bold } = terminal.paint
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
  if (result.status === 'CANCELLED') return tellCancelled(terminal, watch)
  const slot = result.error?.slot
  const parts: readonly Part[] = [
    {
      text: `✖ failed after ${time}`,
      paint: (text: string) => text.replace('✖', red('✖')).replace('failed', bold('failed')),
    },
    ...(slot === undefined ? [] : [{ text: slot }]),
    ...(result.error === undefined ? [] : [{ text: errorText(result.error) }]),
    ...endNote(watch, rootCause),
  ]
  const [start = '', ...rest] = parts.map(({ text, paint = (plain: string) => plain }) => paint(text))
  // What went wrong stands close together where it fits on one line.
  const isShort = parts.reduce((length, { text }) => length + text.length + 3, 0) <= widthOf(terminal)
  if (isShort) terminal.line([start, rest.join('  ')].filter(Boolean).join('   '))
  else for (const line of flow(parts, widthOf(terminal))) terminal.line(line)
  await tellUndone(terminal, watch)
  const step = slot === undefined ? undefined : parseStepSlot(slot)?.stepId
  next(terminal, 'why', `keelson why ${id}${step === undefined ? '' : ` ${step}`}`)
  next(terminal, 'try again', `keelson fork ${id}`)
}

/** `(gave up after 5 of 5)`: all its attempts were made; `(not retryable)`: no other attempt would help. */
function endNote({ graph }: RunWatch, cause: RunSnapshot['rootCause']): readonly Part[] {
  const tries = cause?.attempt ?? 1
  const most = graph.steps[graph.indexOf.get(cause?.parentStepId ?? cause?.stepId ?? '') ?? -1]?.retry.maxAttempts ?? 1
  if (most !== 'unlimited' && most > 1 && tries >= most) return [{ text: `(gave up after ${tries} of ${most})` }]
  if (tries > 1) return [{ text: `(after ${tries} attempts)` }]
  return mayPass(cause) ? [] : [{ text: '(not retryable)' }]
}

/** The end of a run is final whatever its cause was; another attempt at such a cause might do. */
function mayPass(cause: { readonly retryable: boolean; readonly errorClass?: string } | undefined): boolean {
  return cause?.retryable === true || PASSING.has(cause?.errorClass ?? '')
}

const PASSING: ReadonlySet<string> = new Set(['timeout', 'rate_limit', '5xx', 'transport', 'unknown'])

export function tellLeft(terminal: Terminal, watches: readonly RunWatch[]): void {
  terminal.line()
  for (const watch of watches) {
    const { handle, view } = watch
    const id = shortId(handle.runId)
    const person = snapshotOf(view).steps.some((step) => step.waitingForManualCompletion === true)
    const left = `… run ${id} is left as it is${person ? ', waiting for a person' : isHeld(watch) ? ', held: a person must decide' : ''}`
    for (const line of wrapped(left, widthOf(terminal), '  ')) terminal.line(line)
    if (person) next(terminal, 'tasks', `keelson tasks ${id}`)
    if (isHeld(watch)) next(terminal, 'decide', `keelson why ${id}`)
    const { engineType } = handle.row
    if (!isOutside(engineTypeOf(engineType))) next(terminal, 'go on', `keelson resume ${id}`)
    else {
      next(terminal, 'look at', `keelson show ${id}`)
      next(terminal, 'go on', `keelson worker --engine ${engineType}`)
    }
    next(terminal, 'give up', `keelson cancel ${id}`)
  }
}
