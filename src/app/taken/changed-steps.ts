/**
 * Which steps of a run are not the same in a fork that has another plan or another input: their definition differs, or what
 * they read does. A result of such a step is the answer to another question, and nobody takes it over. Told from the plans and
 * the inputs alone, so that `verify` finds the same again; where the syntax leaves a doubt, the step counts as changed.
 */
import { childReferences, isBlock, pinnedHash, type ChildPlan } from '../../core/plan/compile/child-plans.ts'
import { itemsOf, type Json, type Plan, type PlanReference, type Step } from '../../core/plan/plan.ts'
import { parseTemplate } from '../../core/plan/read/template.ts'
import { stepChanges } from '../../core/plan/write/diff-plans.ts'
import type { StepChange } from '../../core/run/fork/standing.ts'
import { fieldsRead, type FieldsRead } from '../expressions/read-fields.ts'
import { canonicalText } from '../log/canonical.ts'

/** A run as far as its steps depend on it before anything has happened. */
export interface PlannedRun {
  readonly plan: Plan
  readonly input: unknown
  /** Null: a log from before child plans were pinned. */
  readonly children: readonly ChildPlan[] | null
}

export type PlanOf = (sha256: string) => Promise<Plan | undefined>

/** They say how a step is carried out, undone or told of, and nothing about what came of it. */
const BESIDE_THE_RESULT: ReadonlySet<string> = new Set([
  'dependsOn',
  'retry',
  'timeoutMs',
  'priority',
  'resources',
  'effect',
  'compensate',
  'fallbackOn',
  'isolation',
  'dispatch',
  'name',
  'description',
  'labels',
  'plannedEffects',
])

export async function changedSteps(
  before: PlannedRun,
  after: PlannedRun,
  planOf: PlanOf,
): Promise<ReadonlyMap<string, StepChange>> {
  const plans = await reachedPlans([before, after], planOf)
  const old = new Map(before.plan.steps.map((step) => [step.stepId, step]))
  const other = otherValues(before, after)
  const found = new Map<string, StepChange>()
  for (const step of after.plan.steps) {
    const was = old.get(step.stepId)
    if (was === undefined) continue
    const fields = [
      ...definitionChanges({ step: was, plan: before.plan }, { step, plan: after.plan }, plans),
      ...('plan' in step && childDiffers(step.plan, [before, after], plans) ? ['plan'] : []),
    ]
    const read = otherReads(step, after.plan, plans, other)
    if (fields.length > 0) found.set(step.stepId, { kind: 'changed', fields: [...new Set(fields)] })
    else if (read.length > 0) found.set(step.stepId, { kind: 'reads', fields: read })
  }
  return found
}

interface StepOf {
  readonly step: Step
  readonly plan: Plan
}

function definitionChanges(before: StepOf, after: StepOf, plans: ReadonlyMap<string, Plan>): readonly string[] {
  const how = { blockOf: (sha256: string) => plans.get(sha256), without: BESIDE_THE_RESULT }
  const fields = stepChanges(before, after, how).map(({ path }) => path)
  const isOtherDuty = before.step.labels?.['duty'] !== after.step.labels?.['duty']
  return isOtherDuty ? [...fields, 'labels.duty'] : fields
}

/** Every plan that one of them can reach, blocks too, by its hash. */
async function reachedPlans(runs: readonly PlannedRun[], planOf: PlanOf): Promise<ReadonlyMap<string, Plan>> {
  const plans = new Map<string, Plan>()
  for (const { plan, children } of runs) {
    const open = [plan]
    for (let runBy = open.pop(); runBy !== undefined; runBy = open.pop()) {
      for (const ref of childReferences(runBy)) {
        const sha256 = pinnedHash(ref, children ?? [])
        if (sha256 === undefined || plans.has(sha256)) continue
        const child = await planOf(sha256)
        if (child === undefined) continue
        plans.set(sha256, child)
        open.push(child)
      }
    }
  }
  return plans
}

/** The name leads to another plan now, or one that the child runs does. */
function childDiffers(
  ref: PlanReference,
  runs: readonly [PlannedRun, PlannedRun],
  plans: ReadonlyMap<string, Plan>,
  seen = new Set<string>(),
): boolean {
  const [before, after] = runs
  if (before.children === null) return false
  const now = pinnedHash(ref, after.children ?? [])
  if (ref.sha256 === undefined && pinnedHash(ref, before.children) !== now) return true
  const child = now === undefined || seen.has(now) ? undefined : plans.get(now)
  if (now === undefined || child === undefined) return false
  seen.add(now)
  return childReferences(child).some((inner) => childDiffers(inner, runs, plans, seen))
}

/** What steps may read and is not as it was: fields by root; `all` where the root itself is another. */
interface OtherValues {
  readonly input: FieldsRead
  readonly context: FieldsRead
  readonly run: FieldsRead
  /** Variables that a function may have asked for by itself. */
  readonly known: ReadonlySet<string>
}

function otherValues(before: PlannedRun, after: PlannedRun): OtherValues {
  const initial = otherFields(before.plan.context, after.plan.context)
  const kept = new Set(after.plan.steps.map(({ stepId }) => stepId))
  const gone = before.plan.steps.filter(({ stepId }) => !kept.has(stepId))
  const written = gone.flatMap(({ capture = [] }) => capture.map(({ destination }) => destination.split('.')[0] ?? ''))
  const { planId, planVersion } = after.plan.metadata
  return {
    input: otherFields(before.input, after.input),
    context: initial === 'all' ? 'all' : new Set([...initial, ...written]),
    run: otherFields(
      { planId: before.plan.metadata.planId, planVersion: before.plan.metadata.planVersion },
      { planId, planVersion },
    ),
    known: new Set([...initial].filter((name) => Object.hasOwn(before.plan.context, name))),
  }
}

/** Fields that are not as they were; `all` where these are no objects. */
export function otherFields(before: unknown, after: unknown): FieldsRead {
  if (canonicalText(before) === canonicalText(after)) return new Set()
  if (!isObject(before) || !isObject(after)) return 'all'
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return new Set([...names].filter((name) => fieldText(before, name) !== fieldText(after, name)))
}

function fieldText(of: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return Object.hasOwn(of, name) ? canonicalText(of[name]) : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ROOTS = ['input', 'context', 'run'] as const

function otherReads(step: Step, plan: Plan, plans: ReadonlyMap<string, Plan>, other: OtherValues): readonly string[] {
  const found = new Set<string>()
  // A person said yes to the run as it was (docs/adr/0008-approvals.md).
  if ('manual' in step) for (const name of named('input', other.input)) found.add(name)
  if (runsFunction(step, plan, plans)) for (const name of other.known) found.add(`context.${name}`)
  for (const expression of expressionsOf(step, plan, plans))
    for (const root of ROOTS) for (const name of both(root, fieldsRead(expression, root), other[root])) found.add(name)
  return [...found]
}

function named(root: string, fields: FieldsRead): readonly string[] {
  return fields === 'all' ? [root] : [...fields].map((name) => `${root}.${name}`)
}

/** What is read and is another. */
function both(root: string, read: FieldsRead, other: FieldsRead): readonly string[] {
  if (read === 'all') return named(root, other)
  if (other === 'all') return read.size === 0 ? [] : [root]
  return [...read].filter((name) => other.has(name)).map((name) => `${root}.${name}`)
}

function blockOf(step: Step, plan: Plan, plans: ReadonlyMap<string, Plan>): Plan | undefined {
  if (!('plan' in step) || !isBlock(step.plan, plan, step.stepId)) return undefined
  return plans.get(step.plan.sha256 ?? '')
}

function runsFunction(step: Step, plan: Plan, plans: ReadonlyMap<string, Plan>): boolean {
  const block = blockOf(step, plan, plans)
  return 'run' in step || (block?.steps.some((inner) => runsFunction(inner, block, plans)) ?? false)
}

const MAPPED = ['run', 'http', 'command', 'wait', 'manual', 'dbt', 'with', 'fallback', 'compensate'] as const

/** Those of its compensation too: a step that is taken over must be undone with what it was done with. */
function expressionsOf(step: Step, plan: Plan, plans: ReadonlyMap<string, Plan>): readonly string[] {
  const fields = step as unknown as Readonly<Record<string, Json | undefined>>
  const block = blockOf(step, plan, plans)
  // A block is handed the whole input; what its steps read of it is what counts.
  const mapped = MAPPED.flatMap((name) => (block !== undefined && name === 'with' ? [] : templates(fields[name])))
  const match = 'wait' in step && 'match' in step.wait ? step.wait.match : undefined
  const bare = [step.if, step.unless, match, step.forEach === undefined ? undefined : itemsOf(step.forEach)]
  const inner = block?.steps.flatMap((one) => expressionsOf(one, block, plans)) ?? []
  return [...mapped, ...bare.flatMap((one) => one ?? []), ...inner, ...templates(block?.output)]
}

function templates(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') {
    const parts = value.includes('${') ? parseTemplate(value) : undefined
    return parts?.ok === true ? parts.value.flatMap((part) => ('expression' in part ? [part.expression] : [])) : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(templates) : []
}
