/**
 * What changed between two plans: steps added, removed, or changed field by field, and what changed around them. A step
 * is identified by its id; its position counts only where steps of both plans changed places. A block of steps under
 * `forEach` is compared like a plan, and its changes are told where they stand in the file: `forEach.steps.pick.run`.
 */
import { isBlock } from '../compile/child-plans.ts'
import type { Plan, Step } from '../plan.ts'

export interface FieldChange {
  /** Dotted path, such as `retry.maxAttempts`. */
  readonly path: string
  /** Absent where the field did not exist. */
  readonly from?: unknown
  /** Absent where the field is gone. */
  readonly to?: unknown
}

export interface PlanDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly stepId: string; readonly fields: readonly FieldChange[] }[]
  /** Outside the steps: version, inputs, policy, output. */
  readonly plan: readonly FieldChange[]
}

/** The plans that were made of blocks, by their hash; a block that is not known is compared by its hash alone. */
export type BlockOf = (sha256: string) => Plan | undefined

export interface Compared {
  readonly blockOf?: BlockOf
  /** Fields of steps that do not count. */
  readonly without?: ReadonlySet<string>
}

export function diffPlans(before: Plan, after: Plan, how: Compared = {}): PlanDiff {
  const { steps: _old, ...oldRest } = before
  const { steps: _new, ...newRest } = after
  return { ...diffSteps(before, after, how), plan: diffValues(oldRest, newRest, '') }
}

function diffSteps(before: Plan, after: Plan, how: Compared): Omit<PlanDiff, 'plan'> {
  const known = new Map(before.steps.map((step) => [step.stepId, step]))
  const kept = new Set(after.steps.map(({ stepId }) => stepId))
  const oldRank = ranks(before.steps, (stepId) => kept.has(stepId))
  const newRank = ranks(after.steps, (stepId) => known.has(stepId))
  const changed = after.steps.flatMap((step) => {
    const old = known.get(step.stepId)
    if (old === undefined) return []
    const fields = stepChanges({ step: old, plan: before }, { step, plan: after }, how)
    const from = oldRank.get(step.stepId)
    const to = newRank.get(step.stepId)
    const all = from === to ? fields : [...fields, { path: 'order', from, to }]
    return all.length === 0 ? [] : [{ stepId: step.stepId, fields: all }]
  })
  return {
    added: after.steps.flatMap(({ stepId }) => (known.has(stepId) ? [] : [stepId])),
    removed: before.steps.flatMap(({ stepId }) => (kept.has(stepId) ? [] : [stepId])),
    changed,
  }
}

export interface StepOf {
  readonly step: Step
  readonly plan: Plan
}

/** Without its place among the others. */
export function stepChanges(before: StepOf, after: StepOf, how: Compared = {}): readonly FieldChange[] {
  const oldBlock = blockIn(before, how)
  const newBlock = blockIn(after, how)
  if (oldBlock === undefined || newBlock === undefined)
    return diffValues(comparable(before, how), comparable(after, how), '')
  return [
    ...diffValues(comparable(before, how, true), comparable(after, how, true), ''),
    ...blockChanges(oldBlock, newBlock, how),
  ]
}

function blockIn({ step, plan }: StepOf, { blockOf }: Compared): Plan | undefined {
  if (!('plan' in step) || !isBlock(step.plan, plan, step.stepId)) return undefined
  return blockOf?.(step.plan.sha256 ?? '')
}

/** What a block is given follows from what it names, and its plan from its steps: these are compared themselves. */
function comparable({ step }: StepOf, { without }: Compared, isBlockKnown = false): object {
  const derived = isBlockKnown ? ['plan', 'with'] : []
  return Object.fromEntries(
    Object.entries(step).filter(([name]) => name !== 'order' && without?.has(name) !== true && !derived.includes(name)),
  )
}

const WITHIN = 'forEach.steps'

function blockChanges(before: Plan, after: Plan, how: Compared): readonly FieldChange[] {
  const { added, removed, changed } = diffSteps(before, after, how)
  const doing = ({ steps }: Plan, id: string): unknown => actionOf(steps.find(({ stepId }) => stepId === id))
  return [
    ...removed.map((id) => ({ path: `${WITHIN}.${id}`, from: doing(before, id) })),
    ...added.map((id) => ({ path: `${WITHIN}.${id}`, to: doing(after, id) })),
    ...changed.flatMap(({ stepId, fields }) =>
      fields.map((field) => ({ ...field, path: innerPath(stepId, field.path) })),
    ),
    ...diffValues(before.output, after.output, 'forEach.output'),
  ]
}

/** A mapping may have a field `order` of its own: the place of a step is told apart from it. */
function innerPath(stepId: string, path: string): string {
  const place = `${WITHIN}.${stepId}`
  if (path === 'order') return `${PLACE_OF}${place}`
  return path.startsWith(PLACE_OF) ? `${PLACE_OF}${place}.${path.slice(PLACE_OF.length)}` : `${place}.${path}`
}

/** Before the path of a step in a block that changed places. */
export const PLACE_OF = 'order of '

const ACTIONS = ['run', 'http', 'command', 'wait', 'manual', 'plan', 'dbt']

/** What a step does, without the fields that most steps have as a default. */
function actionOf(step: Step | undefined): unknown {
  return Object.fromEntries(Object.entries(step ?? {}).filter(([name]) => ACTIONS.includes(name)))
}

export function isEmptyDiff({ added, removed, changed, plan }: PlanDiff): boolean {
  return added.length + removed.length + changed.length + plan.length === 0
}

/** Positions among the steps that both plans have, from 1. */
function ranks(steps: readonly Step[], isKept: (stepId: string) => boolean): ReadonlyMap<string, number> {
  const ordered = steps.filter(({ stepId }) => isKept(stepId)).sort((a, b) => a.order - b.order)
  return new Map(ordered.map(({ stepId }, index) => [stepId, index + 1]))
}

/** Objects are compared field by field; everything else, including lists, as a whole. */
export function diffValues(from: unknown, to: unknown, path: string): readonly FieldChange[] {
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return names.flatMap((name) => diffValues(from[name], to[name], path === '' ? name : `${path}.${name}`))
  }
  if (isEqual(from, to)) return []
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isEqual(one, b[at]))
  if (isObject(a) && isObject(b)) return diffValues(a, b, '').length === 0
  return a === b
}
