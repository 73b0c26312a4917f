/** A plan file compiled. It is read and checked before anything is started; all problems are told together. */
import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { CompiledPlan } from '../../../app/plans/compile.ts'
import { madeOf } from '../../../app/plans/plan-source.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { compileText } from '../../../library/plans/compile-apart.ts'
import { readPlanBytes } from './text-file.ts'

export interface PlanFile {
  /** As the user wrote it, for messages. */
  readonly path: string
  readonly text: string
  readonly compiled: CompiledPlan
}

/** No folder in front, no ending of a plan file: probably the name of a plan. */
const IS_NAME = /^[\w-]+(?:@[\w.:-]+)?$/

export function isPlanName(given: string): boolean {
  return IS_NAME.test(given)
}

/** A folder means the plan.yaml (or .yml, .json) in it. */
export function planPath(path: string): string {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined && isPlanName(path))
    fail('FILE_NOT_FOUND', `there is no file ${path}`, { hint: `a published plan is named by --plan-id ${path}` })
  if (there?.isDirectory() !== true) return path
  const found = ['plan.yaml', 'plan.yml', 'plan.json'].find((name) => readdirSync(path).includes(name))
  return found === undefined ? fail('FILE_NOT_FOUND', `the folder ${path} has no plan.yaml`) : join(path, found)
}

const CODE_FILES = new Set(['.ts', '.mts', '.js', '.mjs'])

/** `pinned`: the hash that the bytes of the file must have; others are not read as a plan. */
export function readPlanFile(given: string, pinned?: string): PlanFile {
  const path = planPath(given)
  if (CODE_FILES.has(extname(path))) {
    fail(
      'USAGE',
      `${path} is code; a plan is a YAML or JSON file (a plan built in TypeScript is started by its own program)`,
    )
  }
  const { text, source } = readPlanBytes(path, pinned)
  const compiled = compileText(text, { file: path })
  if (compiled.ok) return { path, text, compiled: madeOf(compiled.value, source) }
  const [first, ...rest] = compiled.problems
  throw new KeelsonError([first ?? problem('PLAN_SYNTAX', `${path} is not a plan`), ...rest])
}

/** The two hashes for scripts: of the plan, and of the bytes it was made of. */
export function hashesOf({ sha256, source }: CompiledPlan): { readonly sha256: string; readonly sourceSha256: string } {
  return { sha256, sourceSha256: source?.sha256 ?? sha256 }
}
