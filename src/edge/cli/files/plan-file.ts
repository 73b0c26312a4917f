/** A plan file compiled. It is read and checked before anything is started; all problems are told together. */
import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { CompiledPlan } from '../../../app/plans/compile.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { compileText } from '../../../library/compile-apart.ts'
import { readText } from './text-file.ts'

export interface PlanFile {
  /** As the user wrote it, for messages. */
  readonly path: string
  readonly text: string
  readonly compiled: CompiledPlan
}

/** A folder means the plan.yaml (or .yml, .json) in it. */
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
  const text = readText(path, 'PLAN_SYNTAX', { bytes: LIMITS.planBytes, code: 'PLAN_TOO_LARGE' })
  const compiled = compileText(text, { file: path })
  if (compiled.ok) return { path, text, compiled: compiled.value }
  const [first, ...rest] = compiled.problems
  throw new KeelsonError([first ?? problem('PLAN_SYNTAX', `${path} is not a plan`), ...rest])
}
