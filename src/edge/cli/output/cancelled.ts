/** The end of a cancelled run for a person: what was done and stays, and what was undone. */
import { TRAIT } from '../../../core/plan/compile/graph.ts'
import { snapshotOf, undoneItemsOf } from '../../../core/view/show/snapshot-of.ts'
import type { StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import { duration, shortId } from '../terminal/format.ts'
import { endedUnapproved } from '../progress/never-begun.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { countedNames, tellUndone } from './undone.ts'

export async function tellCancelled(terminal: Terminal, watch: RunWatch): Promise<void> {
  const { yellow, bold } = terminal.paint
  const id = shortId(watch.handle.runId)
  const unapproved = endedUnapproved(await watch.handle.records())
  const time = duration(snapshotOf(watch.view).totalDurationMs ?? 0)
  terminal.line(`${yellow('■')} ${bold('cancelled')} ${unapproved ?? `after ${time}`}`)
  if (!(await tellUndone(terminal, watch))) {
    const stays = doneAndStays(watch)
    if (stays !== '') terminal.line(yellow(`  not undone ${stays}`))
  }
  if (unapproved === undefined) nextCommand(terminal, 'try again', `keelson fork ${id}`)
  else nextCommand(terminal, 'ask again', `keelson fork ${id}   # the new run waits for approval`)
}

/** Finished steps with an effect, newest first: `pack (198), charge`. Undoing a run that has ended is not possible. */
function doneAndStays({ graph, view }: RunWatch): string {
  const done = snapshotOf(view).steps.flatMap((step) => {
    const count = doneCount(step)
    const index = graph.indexOf.get(step.stepId)
    const hasEffect = index !== undefined && ((graph.traits[index] ?? 0) & TRAIT.effect) !== 0
    const isWait = index !== undefined && (graph.kinds[index] === 'wait' || graph.kinds[index] === 'manual')
    const { undone = 0 } = undoneItemsOf(view, step.stepId) ?? {}
    const isUndone = step.compensation?.status === 'DONE' || (step.items !== undefined && undone >= count)
    if (!hasEffect || isWait || isUndone || count === 0) return []
    return [{ stepId: step.stepId, count: step.items === undefined ? undefined : count - undone, at: step.completedAt }]
  })
  done.sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
  return countedNames(done)
}

function doneCount({ status, items }: StepSnapshot): number {
  if (items !== undefined) return items.done
  return status === 'SUCCESS' ? 1 : 0
}
