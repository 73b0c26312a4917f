/** What a run undid at its end, and above all what it could not undo: that is somebody's work now (CMP-06). */
import type { ForeignRecord, Payload } from '../../../core/events/event.ts'
import { parseStepSlot } from '../../../core/events/slot.ts'
import { itemsOf, snapshotOf } from '../../../core/view/snapshot-of.ts'
import type { StepSnapshot } from '../../../core/view/run-snapshot.ts'
import type { RunView } from '../../../core/view/run-view.ts'
import type { RunWatch } from '../run-watch.ts'
import type { Terminal } from '../terminal.ts'
import { isNotUndone } from './picture.ts'

type Summary = NonNullable<Payload<'RunFailed'>['compensation']>
type Action = NonNullable<Summary['actions']>[number]

const NAMES_TOLD = 20
/** How far back the end is looked for at first: a few events may follow it (P-48). */
const FEW = 20

export async function tellUndone(terminal: Terminal, watch: RunWatch): Promise<void> {
  const summary = await summaryOf(watch)
  if (summary === undefined) return
  const { red, yellow } = terminal.paint
  const { done, failed, notCompensable, unfinished } = summary
  const actions = summary.actions ?? actionsOf(watch.view, summary)
  const all = done + failed + unfinished
  const names = (...results: readonly Action['result'][]): string => namesOf(actions, results)
  if (done > 0) terminal.line(`  undone     ${names('undone')} (${done} of ${all})`)
  if (failed > 0) terminal.line(red(`  not undone ${names('failed')} (${failed} of ${all}): look at it by hand`))
  if (unfinished > 0) {
    const begun = names('unfinished')
    const which = begun === '' ? `${unfinished} of ${all}` : `${begun} (${unfinished} of ${all})`
    terminal.line(red(`  not undone ${which}: the run was stopped before that`))
  }
  if (notCompensable > 0) terminal.line(yellow(`  ${notCompensable} finished without a way to undo them`))
}

async function summaryOf({ handle, view }: RunWatch): Promise<Summary | undefined> {
  const isEnd = ({ eventType }: ForeignRecord): boolean => eventType === 'RunFailed' || eventType === 'RunCompleted'
  const near = (await handle.records(Math.max(0, view.lastEventSeq - FEW))).findLast(isEnd)
  const end = near ?? (view.lastEventSeq <= FEW ? undefined : (await handle.records()).findLast(isEnd))
  return end?.payload?.['compensation'] as Summary | undefined
}

function namesOf(actions: readonly Action[], results: readonly Action['result'][]): string {
  const slots = actions.filter(({ result }) => results.includes(result)).map(({ slot }) => slot)
  const more = slots.length - NAMES_TOLD
  return `${slots.slice(0, NAMES_TOLD).join(', ')}${more > 0 ? `, … and ${more} more` : ''}`
}

/** A summary of rules version 1 names all that was tried; how each ended is in the view. */
function actionsOf(view: RunView, { slots }: Summary): readonly Action[] {
  const steps = snapshotOf(view).steps
  return slots.flatMap((slot) => {
    const at = parseStepSlot(slot)
    if (at === undefined) return []
    const among: readonly StepSnapshot[] =
      at.itemIndex === undefined ? steps : itemsOf(view, at.stepId, at.itemIndex, 1)
    const found = among.find((step) => step.stepId === at.stepId && step.role === at.role)?.compensation
    if (found === undefined) return []
    const result = found.status === 'FAILED' ? 'failed' : isNotUndone(found, false) ? 'unfinished' : 'undone'
    return [{ slot, result, attempts: found.attempts }]
  })
}
