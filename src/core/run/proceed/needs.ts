/**
 * What must be evaluated before a step can start: its condition, its items, how long it waits, the texts for a person. The
 * results come back as facts and are recorded with the event that they decide (P-04).
 */
import type { EventData } from '../../events/event.ts'
import { hasMappedTexts, type Step, type WaitAction } from '../../plan/plan.ts'
import type { Need, SlotFacts } from '../input.ts'
import type { Unit } from '../state/unit.ts'

/** Undefined: nothing. */
export function needOf(step: Step, unit: Unit): Need | undefined {
  const condition = unit.attempt === 0 && (step.if !== undefined || step.unless !== undefined)
  const items = step.forEach !== undefined && unit.fan === undefined
  // Each item of a fan-out asks for its own values, because its parent has no `item`.
  const values = step.forEach === undefined ? valuesOf(step) : undefined
  if (!condition && !items && values === undefined) return undefined
  const { wait, manual } = values ?? NO_VALUES
  return { kind: 'step', slot: step.stepId, stepId: step.stepId, condition, items, wait, manual }
}

const NO_VALUES = { wait: false, manual: false }

/** What must be mapped before a unit that only waits can begin; undefined for nothing. */
export function valuesOf(step: Step): { readonly wait: boolean; readonly manual: boolean } | undefined {
  const wait = 'wait' in step && waitIsExpression(step.wait)
  const manual = 'manual' in step && hasMappedTexts(step.manual)
  return wait || manual ? { wait, manual } : undefined
}

function waitIsExpression(wait: WaitAction['wait']): boolean {
  if ('forEvent' in wait) return wait.key?.includes('${') === true
  return 'forMs' in wait ? typeof wait.forMs === 'string' : wait.until.includes('${')
}

/** As the event records them. */
export function factsData(facts: SlotFacts | undefined): EventData | undefined {
  if (facts === undefined) return undefined
  const { condition, items, waitForMs, waitUntil, eventKey } = facts
  const recorded = {
    ...(condition === undefined ? {} : { condition }),
    ...(items === undefined ? {} : { items }),
    ...(waitForMs === undefined ? {} : { waitForMs }),
    ...(waitUntil === undefined ? {} : { waitUntil }),
    ...(eventKey === undefined ? {} : { eventKey }),
  }
  return Object.keys(recorded).length === 0 ? undefined : { facts: recorded }
}
