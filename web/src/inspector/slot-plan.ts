/** What the plan says of a step, an item or a fallback: its mapping, its expressions, its secrets, its retries. */
import { itemsOf, type Mapping, type Step } from '../../../src/core/plan/plan.ts'
import { parseTemplate } from '../../../src/core/plan/read/template.ts'
import { parseStepSlot } from '../../../src/core/events/slot.ts'
import type { RunHistory } from '../history/run-history.ts'

/** Undefined where the plan is not stored here, or has no such step. */
export function stepOfSlot({ plan }: RunHistory, slot: string): Step | undefined {
  const stepId = parseStepSlot(slot)?.stepId
  return plan?.steps.find((step) => step.stepId === stepId)
}

export function mappingOf(step: Step | undefined, slot: string): Mapping {
  if (step === undefined) return {}
  return (parseStepSlot(slot)?.role === 'fallback' ? step.fallback?.with : step.with) ?? {}
}

/** The expressions that decide over a step and make its input, as they are written. */
export function expressionsOf(step: Step | undefined, slot: string): readonly string[] {
  const own =
    step === undefined ? [] : [step.if, step.unless, step.forEach === undefined ? undefined : itemsOf(step.forEach)]
  return [...new Set([...own.filter((one) => one !== undefined), ...expressionsIn(mappingOf(step, slot))])]
}

/** Of a value of a mapping, all `${…}` in it. */
export function expressionsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(expressionsIn)
  if (typeof value !== 'string' || !value.includes('${')) return []
  const parts = parseTemplate(value)
  return parts.ok ? parts.value.flatMap((part) => ('expression' in part ? [part.expression] : [])) : []
}
