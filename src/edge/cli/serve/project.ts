/**
 * What a folder holds for a server: its plan files, and the steps files beside them. A file that cannot be used is told with its
 * problems and left out; the others are served.
 */
import { readdirSync, type Dirent } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { appendAll } from '../../../core/collections/append-all.ts'
import { readJsonText } from '../../../core/json/read-json-text.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { ProjectSteps } from '../../../compose/project-handlers.ts'
import { readPlanFile, type PlanFile } from '../files/plan-file.ts'
import { findStepsFile, loadSteps, STEPS_NAMES } from '../files/steps-file.ts'
import { readText } from '../files/text-file.ts'

export interface Project {
  readonly plans: readonly PlanFile[]
  readonly steps: readonly ProjectSteps[]
  /** By file. */
  readonly problems: readonly { readonly file: string; readonly error: KeelsonError }[]
}

const PLAN_FILES = new Set(['.yaml', '.yml', '.json'])
/** A plan says its name at the outermost level. */
const NAMES_PLAN = /^(?:plan|metadata)\s*:|^\s*\{?\s*"(?:plan|metadata|schemaVersion)"\s*:/m
const PLAN_NAMES: ReadonlySet<string> = new Set(['plan', 'metadata', 'schemaVersion'])
const HAS_STEPS = /^steps\s*:|"steps"\s*:/m
const LEFT_OUT = new Set(['node_modules', 'dist', 'package.json', 'package-lock.json', 'tsconfig.json'])
const DEPTH = 4
const MOST_FILES = 2_000

export async function readProject(folder: string, version?: string): Promise<Project> {
  const plans: PlanFile[] = []
  const problems: Project['problems'][number][] = []
  const taking = async (file: string, work: () => Promise<void> | void): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      problems.push({ file, error: thrown })
    }
  }
  for (const file of planFilesIn(folder)) await taking(file, () => void plans.push(readPlanFile(file)))
  const steps: ProjectSteps[] = []
  for (const file of stepsFilesIn(folder, plans))
    await taking(file, async () => {
      const { functions } = await loadSteps(file, version)
      const planIds = plans.filter(({ path }) => findStepsFile(undefined, [dirname(path), folder]) === file)
      steps.push({ functions, module: file, planIds: planIds.map(({ compiled }) => compiled.plan.metadata.planId) })
    })
  return { plans, steps, problems }
}

/** Each once: of the plans' folders, and of the folder itself. */
function stepsFilesIn(folder: string, plans: readonly PlanFile[]): readonly string[] {
  const places = [folder, ...plans.map(({ path }) => dirname(path))]
  const found = places.map((place) => findStepsFile(undefined, [place]))
  return [...new Set(found.filter((file) => file !== undefined))]
}

function planFilesIn(folder: string): readonly string[] {
  return filesIn(folder, DEPTH).filter((file) => PLAN_FILES.has(extname(file)) && isPlan(file))
}

function isPlan(file: string): boolean {
  const text = readText(file, 'FILE_UNUSABLE')
  if (!HAS_STEPS.test(text)) return false
  const named = extname(file) === '.json' ? outermostNames(text) : undefined
  return named?.some((name) => PLAN_NAMES.has(name)) ?? NAMES_PLAN.test(text)
}

/** Undefined where it is no JSON yet: somebody may be writing it, and is told what is wrong. A schema of plans has these names further inside. */
function outermostNames(text: string): readonly string[] | undefined {
  const reading = readJsonText(text)
  return reading.ok ? Object.keys(Object(reading.value) as object) : undefined
}

function filesIn(folder: string, depth: number): readonly string[] {
  const found: string[] = []
  for (const entry of entriesOf(folder)) {
    if (found.length > MOST_FILES) break
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) appendAll(found, filesIn(path, depth - 1))
    else if (entry.isFile()) found.push(path)
  }
  return found
}

/** The folder itself and those below it in which plans are looked for. */
export function foldersIn(folder: string, depth = DEPTH): readonly string[] {
  const below = entriesIfThere(folder)
  if (below === undefined) return []
  const inner = below.filter((entry) => entry.isDirectory() && depth > 0)
  return [folder, ...inner.flatMap(({ name }) => foldersIn(join(folder, name), depth - 1))]
}

/** Somebody may delete a folder at the moment in which it is looked at. */
function entriesIfThere(folder: string): readonly Dirent[] | undefined {
  try {
    return entriesOf(folder)
  } catch {
    return undefined
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return entries.filter(({ name }) => !name.startsWith('.') && !LEFT_OUT.has(name))
}

/** Is this a file whose change the server of a developer takes? */
export function isServed(file: string): boolean {
  return PLAN_FILES.has(extname(file)) || STEPS_NAMES.some((name) => file.endsWith(name)) || /\.[mc]?[jt]s$/.test(file)
}
