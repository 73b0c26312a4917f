/**
 * Is a manual task assigned to this person? The decider itself reads names in the plan; names that are mapped over the
 * run are looked up here, with the changes of the append in progress, and enter the decision as a fact (P-05).
 */
import { hasMappedTexts } from '../../core/plan/plan.ts'
import { actorOf } from '../../core/run/people/judge-person.ts'
import type { InputBody } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import { openTaskTexts, type OpenTaskAt, type TaskTexts } from '../loaded/manual-fields.ts'
import type { AppendValues } from '../values/appended.ts'

/** No person's name is empty. */
const NOBODY = ''

/**
 * A changed input may have removed what the texts were made of: then they are shown as written, and the task is
 * assigned to nobody unless the plan has names.
 */
export async function textsOf(at: OpenTaskAt): Promise<TaskTexts> {
  const step = stepAt(at.state.graph, at.unit.step)
  if (!('manual' in step)) return { title: step.stepId }
  const texts = await openTaskTexts(at, step.manual)
  if (texts.ok) return texts.value
  const { title, assignees } = step.manual
  if (assignees === undefined || assignees.length === 0) return { title }
  return { title, assignees: assignees.some((one) => one.includes('${')) ? [NOBODY] : assignees }
}

/** Names that grant permission are compared exactly as written. */
export function isAssigned(assignees: readonly string[] | undefined, actorId: string): boolean {
  return assignees === undefined || assignees.length === 0 || assignees.includes(actorId)
}

/** The input, with the fact that the task is assigned to other people when it is an outcome of such a task. */
export function withAssignment<T extends InputBody>(
  store: OpenTaskAt['store'],
  run: OpenTaskAt['run'],
  { state, values }: { readonly state: RunState; readonly values: AppendValues },
  given: T,
  seenChanges?: number,
): T | Promise<T> {
  const input = seenChanges === undefined ? given : { ...given, seenChanges }
  // Most outcomes come from no person: they cost nothing here.
  const actorId = input.kind === 'outcome' ? actorOf(input.outcome) : undefined
  if (input.kind !== 'outcome' || actorId === undefined) return input
  const unit = locate(state, input.slot)?.unit
  if (unit?.status !== 'RUNNING' || unit.fallback) return input
  const step = stepAt(state.graph, unit.step)
  if (!('manual' in step) || !hasMappedTexts(step.manual)) return input
  return textsOf({ store, run, state, unit, append: values }).then(({ assignees }) => {
    return isAssigned(assignees, actorId) ? input : { ...input, notAssigned: true }
  })
}
