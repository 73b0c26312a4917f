/** A step, an item (`pack[5]`) or a fallback (`FALLBACK:pack`) by its name in the log. */
import { parseStepSlot } from '../../../src/core/events/slot.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { RunView } from '../../../src/core/view/fold/run-view.ts'
import { itemsOf } from '../../../src/core/view/show/snapshot-of.ts'

export function slotAt(view: RunView, { steps }: RunSnapshot, name: string): StepSnapshot | undefined {
  const slot = parseStepSlot(name)
  if (slot === undefined) return undefined
  const found =
    slot.itemIndex === undefined
      ? steps.find(({ stepId }) => stepId === slot.stepId)
      : itemsOf(view, slot.stepId, slot.itemIndex, 1)[0]
  return slot.role === 'fallback' ? found?.fallback : found
}
