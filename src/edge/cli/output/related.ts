/**
 * The runs related to the shown one: parent and children, the run it undoes and the run that undid it, with their ids.
 */
import type { RelatedRuns, CompensationRun } from '../../../app/views/related-runs.ts'
import { compensationSlot } from '../../../core/events/slot.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { plural, shortId } from '../terminal/format.ts'

const CHILDREN_SHOWN = 10

export function isAlone({ parent, children }: RelatedRuns): boolean {
  return parent === undefined && children.length === 0
}

function compensationText({ runId, result }: CompensationRun): string {
  if (result === 'undone') return `undone by run ${shortId(runId)}`
  return result === 'open' ? `being undone by run ${shortId(runId)}` : `not all undone by run ${shortId(runId)}`
}

export function tellRelated(terminal: Terminal, related: RelatedRuns): void {
  if (isAlone(related)) return
  const { parent, compensationOf, undo, children } = related
  const line = (name: string, text: string): void => terminal.line(`  ${name.padEnd(11)}${terminal.paint.dim(text)}`)
  terminal.line()
  if (compensationOf !== undefined) line('undoes', `what run ${shortId(compensationOf)} has finished`)
  if (parent !== undefined) {
    const slot = parent.slot.replace(compensationSlot(''), '')
    line(compensationOf === undefined ? 'child' : 'for', `step ${slot} of run ${shortId(parent.runId)}`)
  }
  if (undo !== undefined) line('undoing', compensationText(undo))
  for (const { slot, runId, undo: by } of children.slice(0, CHILDREN_SHOWN))
    line('child run', `${shortId(runId)} of ${slot}${by === undefined ? '' : `   ${compensationText(by)}`}`)
  const more = children.length - CHILDREN_SHOWN
  if (more > 0) line('', `… and ${plural(more, 'more child run')}`)
}
