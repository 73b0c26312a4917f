/**
 * What a run is found by: the labels of its plan, and those that the plan makes of the input as the run is admitted. They follow
 * from the plan and the input alone, so they are no event, and `verify` makes them again.
 */
import { LIMITS } from '../../core/limits.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { RunLabels } from '../../ports/run-store.ts'
import { mapValue } from '../expressions/map-input.ts'

/** Undefined for a run without any. */
export function runLabels(plan: Plan, input: unknown): RunLabels | undefined {
  const fixed = planLabels(plan)
  if (plan.labels === undefined) return Object.keys(fixed).length === 0 ? undefined : fixed
  const mapped = unwrap(mapValue(plan.labels, { input })) as Readonly<Record<string, unknown>>
  const given = Object.entries(mapped).flatMap(([name, value]) =>
    value === null ? [] : [[name, labelText(name, value)] as const],
  )
  return { ...fixed, ...Object.fromEntries(given) }
}

/** Of the plan itself; a text that is too long to be looked up is left out. */
export function planLabels({ metadata }: Plan): RunLabels {
  const short = Object.entries(metadata.labels ?? {}).filter(([name, value]) => isShort(name) && isShort(value))
  return Object.fromEntries(short)
}

const isShort = (text: string): boolean => text.length <= LIMITS.labelChars && !text.includes('\u0000')

function labelText(name: string, value: unknown): string {
  if (typeof value === 'object')
    return fail('RUN_LABEL_INVALID', `the label '${name}' must be a text, a number, true or false`)
  const text = String(value)
  if (isShort(text)) return text
  return fail(
    'RUN_LABEL_INVALID',
    `the label '${name}' has ${text.length} characters; at most ${LIMITS.labelChars} are allowed, and no zero character`,
  )
}
