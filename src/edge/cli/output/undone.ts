/** What a run undid at its end, and above all what it could not undo: a person must do that now (CMP-06). */
import type { LogRecord, Payload } from '../../../core/events/event.ts'
import { parseStepSlot, stepSlotText, type StepSlot } from '../../../core/events/slot.ts'
import { itemsOf, snapshotOf, undoneItemsOf } from '../../../core/view/show/snapshot-of.ts'
import type { StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import type { RunView } from '../../../core/view/fold/run-view.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { isNotUndone } from '../progress/picture.ts'

type Summary = NonNullable<Payload<'RunFailed'>['compensation']>
type Action = NonNullable<Summary['actions']>[number]

const NAMES_TOLD = 20
/** How far back the end is searched at first: a few events may follow it (P-48). */
const FEW = 20

/** False when the end of the run says nothing about undoing. */
export async function tellUndone(terminal: Terminal, watch: RunWatch): Promise<boolean> {
  const summary = await summaryOf(watch)
  if (summary === undefined) return false
  const { red, yellow } = terminal.paint
  const { done, failed, notCompensable, unfinished } = summary
  const actions = summary.actions ?? actionsOf(watch.view, summary)
  const all = done + failed + unfinished
  const names = (...results: readonly Action['result'][]): string => namesOf(actions, results, watch.view)
  if (done > 0) terminal.line(`  undone     ${names('undone')}${done === all ? '' : ` (${done} of ${all})`}`)
  if (failed > 0) terminal.line(red(`  not undone ${names('failed')} (${failed} of ${all}): look at it by hand`))
  if (unfinished > 0) {
    const begun = names('unfinished')
    const which = begun === '' ? `${unfinished} of ${all}` : `${begun} (${unfinished} of ${all})`
    terminal.line(red(`  not undone ${which}: the run was stopped before that`))
  }
  if (notCompensable > 0) {
    const what =
      notCompensable === 1
        ? '1 step finished without a way to undo it'
        : `${notCompensable} finished without a way to undo them`
    terminal.line(yellow(`  ${what}`))
  }
  return true
}

const ENDS: ReadonlySet<string> = new Set(['RunFailed', 'RunCompleted', 'RunCancelled'])

async function summaryOf({ handle, view }: RunWatch): Promise<Summary | undefined> {
  const isEnd = ({ eventType }: LogRecord): boolean => ENDS.has(eventType)
  const near = (await handle.records(Math.max(0, view.lastEventSeq - FEW))).findLast(isEnd)
  const end = near ?? (view.lastEventSeq <= FEW ? undefined : (await handle.records()).findLast(isEnd))
  return end?.payload?.['compensation'] as Summary | undefined
}

/** Items that were undone count together: `pack (198), charge`. The summary names only the first of very many. */
function namesOf(actions: readonly Action[], results: readonly Action['result'][], view: RunView): string {
  const slots = new Map<string, string[]>()
  for (const { slot } of actions.filter(({ result }) => results.includes(result))) {
    const at = parseStepSlot(slot)
    const name = at?.itemIndex === undefined ? slot : at.stepId
    slots.set(name, [...(slots.get(name) ?? []), slot])
  }
  // The summary is cut where there are very many; the view has all steps.
  if (results.includes('undone'))
    for (const { stepId, compensation } of snapshotOf(view).steps.toReversed())
      if (compensation?.status === 'DONE' && !slots.has(stepId)) slots.set(stepId, [stepId])
  return countedNames([...slots].flatMap(([stepId, own]) => namedOrCounted(stepId, own, results, view)))
}

const ITEMS_NAMED = 5

function namedOrCounted(
  stepId: string,
  slots: readonly string[],
  results: readonly Action['result'][],
  view: RunView,
): readonly { readonly stepId: string; readonly count?: number }[] {
  const seen = undoneItemsOf(view, stepId)
  const all = results.includes('undone') ? seen?.undone : results.includes('failed') ? seen?.notUndone : undefined
  const count = Math.max(slots.length, all ?? 0)
  // What a person must look at is named as long as that can be read; what is done is counted.
  const isFan = seen !== undefined || slots.some((slot) => parseStepSlot(slot)?.itemIndex !== undefined)
  if (results.includes('undone')) return isFan && count > 1 ? [{ stepId, count }] : [{ stepId: slots[0] ?? stepId }]
  return count <= ITEMS_NAMED ? slots.map((slot) => ({ stepId: slot })) : [{ stepId, count }]
}

/** `pack (198), charge, reserve`: with a number for a fan-out. */
export function countedNames(
  named: readonly { readonly stepId: string; readonly count?: number | undefined }[],
): string {
  const names = named.map(({ stepId, count }) => (count === undefined ? stepId : `${stepId} (${count})`))
  const more = names.length - NAMES_TOLD
  return `${names.slice(0, NAMES_TOLD).join(', ')}${more > 0 ? `, … and ${more} more` : ''}`
}

function ownText({ stepId, itemIndex }: StepSlot): string {
  return stepSlotText({ stepId, ...(itemIndex === undefined ? {} : { itemIndex }) })
}

/** A summary of rules version 1 names all that was tried; the view shows how each ended. */
function actionsOf(view: RunView, { slots }: Summary): readonly Action[] {
  const steps = snapshotOf(view).steps
  return slots.flatMap((slot) => {
    const at = parseStepSlot(slot)
    if (at === undefined) return []
    const among: readonly StepSnapshot[] =
      at.itemIndex === undefined ? steps : itemsOf(view, at.stepId, at.itemIndex, 1)
    const step = among.find(({ stepId }) => stepId === ownText(at))
    const found = (at.role === undefined ? step : step?.fallback)?.compensation
    if (found === undefined) return []
    const result = found.status === 'FAILED' ? 'failed' : isNotUndone(found, false) ? 'unfinished' : 'undone'
    return [{ slot, result, attempts: found.attempts }]
  })
}
