/**
 * A plan file compiled, and the plan files beside it that its `plan` steps name. Everything is read and checked before
 * anything is started; all problems are told together.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { compilePlan, type CompiledPlan } from '../../app/compile-plan.ts'
import { fail, KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import { readText } from './text-file.ts'

export interface PlanFile {
  /** As the user wrote it, for messages. */
  readonly path: string
  readonly text: string
  readonly compiled: CompiledPlan
}

/** A folder stands for the plan.yaml (or .yml, .json) in it. */
function fileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path
  const found = ['plan.yaml', 'plan.yml', 'plan.json'].find((name) => readdirSync(path).includes(name))
  return found === undefined ? fail('FILE_NOT_FOUND', `the folder ${path} has no plan.yaml`) : join(path, found)
}

const CODE_FILES = new Set(['.ts', '.mts', '.js', '.mjs'])

export function readPlanFile(given: string): PlanFile {
  const path = fileOf(given)
  if (CODE_FILES.has(extname(path))) {
    fail(
      'USAGE',
      `${path} is code; a plan is a YAML or JSON file (a plan built in TypeScript is started by its own program)`,
    )
  }
  const text = readText(path, 'PLAN_SYNTAX')
  const compiled = compilePlan(text, { file: path })
  if (compiled.ok) return { path, text, compiled: compiled.value }
  const [first, ...rest] = compiled.problems
  throw new KeelsonError([first ?? problem('PLAN_SYNTAX', `${path} is not a plan`), ...rest])
}

function childIds(file: PlanFile): readonly string[] {
  return file.compiled.plan.steps.flatMap((step) => ('plan' in step ? [step.plan.planId] : []))
}

const PLAN_ENDINGS = ['.yaml', '.yml', '.json']

function findBeside(folder: string, planId: string): string | undefined {
  const stems = [planId, `${planId}.plan`]
  const files = readdirSync(folder)
  const name = stems.flatMap((stem) => PLAN_ENDINGS.map((ending) => stem + ending)).find((one) => files.includes(one))
  return name === undefined ? undefined : join(folder, name)
}

/**
 * The files `<planId>.yaml` (or `<planId>.plan.yaml`, .yml, .json) beside the plan, for every plan that it or one of
 * them starts. A plan without a file may be published already; whether it is, the store knows.
 */
export function childPlanFiles(root: PlanFile): readonly PlanFile[] {
  const found = new Map<string, PlanFile>()
  const problems: Problem[] = []
  const open = [...childIds(root)]
  for (let planId = open.pop(); planId !== undefined; planId = open.pop()) {
    const path = found.has(planId) ? undefined : findBeside(dirname(root.path), planId)
    if (path === undefined || basename(path) === basename(root.path)) continue
    try {
      const file = readPlanFile(path)
      found.set(planId, file)
      open.push(...childIds(file))
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      problems.push(...thrown.problems)
    }
  }
  const [first, ...rest] = problems
  if (first !== undefined) throw new KeelsonError([first, ...rest])
  return [...found.values()]
}
