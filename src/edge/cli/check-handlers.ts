/**
 * Functions a plan calls that its steps file does not have, and steps of a kind nobody here can do, each with its place in
 * the plan: told before anything is started, because a run that stops half-way for a misspelt name helps nobody.
 */
import { relative } from 'node:path'
import { parsePlan } from '../../core/plan/parse-plan.ts'
import type { Action, Compensation, Fallback } from '../../core/plan/plan.ts'
import { didYouMean } from '../../core/plan/reading.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { PlanFile } from './plan-file.ts'
import { STEPS_NAMES, type StepsFile } from './steps-file.ts'

interface Use {
  /** Absent for a step of a kind that this version does not do. */
  readonly name?: string
  readonly pointer: string
}

function usesOf(file: PlanFile): readonly Use[] {
  return file.compiled.plan.steps.flatMap((step, index) => {
    const at = (action: Action | Compensation | Fallback | undefined, path: string): readonly Use[] => {
      if (action === undefined) return []
      if ('dbt' in action) return [{ pointer: `/steps/${index}${path}/dbt` }]
      return 'run' in action ? [{ name: action.run, pointer: `/steps/${index}${path}/run` }] : []
    }
    return [...at(step, ''), ...at(step.compensate, '/compensate'), ...at(step.fallback, '/fallback')]
  })
}

function missingIn(file: PlanFile, steps: StepsFile): readonly Problem[] {
  const missing = usesOf(file).filter(({ name }) => name === undefined || !Object.hasOwn(steps.functions, name))
  if (missing.length === 0) return []
  const parsed = parsePlan(file.text, { file: file.path })
  const where = steps.path === undefined ? undefined : relative('.', steps.path)
  return missing.map(({ name, pointer }) => {
    const at = parsed.ok ? parsed.value.positionOf(pointer) : undefined
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
      ...didYouMean(name, Object.keys(steps.functions)),
    })
  })
}

export function checkHandlers(files: readonly PlanFile[], steps: StepsFile): void {
  const [first, ...rest] = files.flatMap((file) => missingIn(file, steps))
  if (first !== undefined) throw new KeelsonError([first, ...rest])
}
