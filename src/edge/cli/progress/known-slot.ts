/** A step of the plan as a person names it, or an item of one such as `pack[5]`. */
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { RunWatch } from './run-watch.ts'

export function knownSlot({ graph }: RunWatch, slot: string): string {
  const stepId = slot.replace(/\[\d+\]$/, '')
  if (graph.indexOf.has(stepId)) return slot
  return fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`, didYouMean(stepId, [...graph.indexOf.keys()]))
}
