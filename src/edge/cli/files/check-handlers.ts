/**
 * Functions that a plan calls but its steps file lacks, and steps of a kind that this process cannot do, each with its
 * place in the plan: reported before anything starts, because a run that stops half-way for a misspelt name helps
 * nobody.
 */
import { relative } from 'node:path'
import { LIMITS } from '../../../core/limits.ts'
import { parsePlan } from '../../../core/plan/compile/parse-plan.ts'
import { isBlock } from '../../../core/plan/compile/child-plans.ts'
import type { Action, Compensation, Fallback, Plan } from '../../../core/plan/plan.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { KeelsonError, problem, type Problem } from '../../../core/problems/problem.ts'
import type { PlanFile } from './plan-file.ts'
import { STEPS_NAMES, type KnownSteps } from './steps-file.ts'

interface Use {
  /** Absent for a step of a kind that this version cannot do. */
  readonly name?: string
  readonly pointer: string
}

function usesOf({ compiled: { plan, blocks = [] } }: PlanFile): readonly Use[] {
  return usesIn(plan, '', new Map(blocks.map((block) => [block.sha256, block.plan])))
}

/** `place` is where its `steps` stand in the file: steps of a block stand under the `forEach` of their step. */
function usesIn(plan: Plan, place: string, blocks: ReadonlyMap<string, Plan>): readonly Use[] {
  return plan.steps.flatMap((step, index) => {
    const own = `${place}/steps/${index}`
    const at = (action: Action | Compensation | Fallback | undefined, path: string): readonly Use[] => {
      if (action === undefined) return []
      if ('dbt' in action) return [{ pointer: `${own}${path}/dbt` }]
      // Functions of a queue are those of its workers.
      return 'run' in action && step.dispatch?.queue === undefined
        ? [{ name: action.run, pointer: `${own}${path}/run` }]
        : []
    }
    const block =
      'plan' in step && isBlock(step.plan, plan, step.stepId) ? blocks.get(step.plan.sha256 ?? '') : undefined
    const inner = block === undefined ? [] : usesIn(block, `${own}/forEach`, blocks)
    return [...at(step, ''), ...at(step.compensate, '/compensate'), ...at(step.fallback, '/fallback'), ...inner]
  })
}

function missingIn(file: PlanFile, steps: KnownSteps): readonly Problem[] {
  const missing = usesOf(file).filter(({ name }) => name === undefined || !steps.mayHave(name))
  if (missing.length === 0) return []
  // A long text is not read again here, where nobody could end it: what is missing is told without its line.
  const parsed = file.text.length > LIMITS.planTextHereChars ? undefined : parsePlan(file.text, { file: file.path })
  const where = steps.path === undefined ? undefined : relative('.', steps.path)
  return missing.map(({ name, pointer }) => {
    const at = parsed?.ok === true ? parsed.value.positionOf(pointer) : undefined
    if (name === undefined) {
      const message = 'dbt steps are not part of this version; a command step can start dbt'
      return problem('NO_HANDLER', message, { pointer, ...(at === undefined ? {} : { at }) })
    }
    const message =
      where === undefined
        ? `there is no steps file with a function '${name}'; looked for ${STEPS_NAMES[0]} (.mts, .js, .mjs) beside the plan and here`
        : `${where} has no function '${name}'`
    return problem('NO_HANDLER', message, {
      pointer,
      ...(at === undefined ? {} : { at }),
      ...didYouMean(name, steps.names),
    })
  })
}

export function checkHandlers(files: readonly PlanFile[], steps: KnownSteps): void {
  // A block stands in the file of its plan, and is looked at there, by its place in it.
  const blocks = new Set(files.flatMap(({ compiled }) => compiled.blocks ?? []))
  const whole = files.filter(({ compiled }) => !blocks.has(compiled))
  const [first, ...rest] = whole.flatMap((file) => missingIn(file, steps))
  if (first !== undefined) throw new KeelsonError([first, ...rest])
}
