/**
 * What a view tells of the instants that a picture counts down: the retries that are due. It does not tell until when a slot
 * waits, or what a person is asked; a picture of such a run is made from its log.
 */
import { vectorGet } from '../../collections/vector.ts'
import { stepSlotText, type StepSlot } from '../../events/slot.ts'
import { msFromIso } from '../../time.ts'
import type { RunView, SlotFold, SlotPair } from '../fold/run-view.ts'

export interface Retry {
  readonly stepId: string
  readonly itemIndex?: number
  readonly failedAttempt: number
  readonly retryAt: number
  readonly code: string
}

/** By slot: failed attempts that will be repeated. */
export function retriesOf(view: RunView): Map<string, Retry> {
  const found = new Map<string, Retry>()
  for (const { slot, fold } of slotsOf(view)) {
    const last = fold.attempts.at(-1)
    const retryAt = last?.retryAt === undefined ? undefined : msFromIso(last.retryAt)
    if (last?.status !== 'FAILED' || retryAt === undefined) continue
    const { stepId, itemIndex } = slot
    const item = itemIndex === undefined ? {} : { itemIndex }
    const code = last.error?.code ?? ''
    found.set(stepSlotText(slot), { stepId, failedAttempt: last.attempt, retryAt, code, ...item })
  }
  return found
}

export function anyWaits(view: RunView): boolean {
  return slotsOf(view).some(({ fold }) => fold.attempts.at(-1)?.waitsFor !== undefined)
}

interface Placed {
  readonly slot: StepSlot
  readonly fold: SlotFold
}

function slotsOf(view: RunView): readonly Placed[] {
  const found: Placed[] = []
  const add = (slot: StepSlot, { own, fallback }: SlotPair): void => {
    found.push({ slot, fold: own })
    if (fallback !== undefined) found.push({ slot: { ...slot, role: 'fallback' }, fold: fallback })
  }
  view.meta.stepIds.forEach((stepId, index) => {
    const step = vectorGet(view.steps, index)
    if (step === undefined) return
    add({ stepId }, step)
    for (let itemIndex = 0; itemIndex < (step.fan?.total ?? 0); itemIndex += 1) {
      const item = step.fan === undefined ? undefined : vectorGet(step.fan.items, itemIndex)
      if (item !== undefined) add({ stepId, itemIndex }, item)
    }
  })
  return found
}
