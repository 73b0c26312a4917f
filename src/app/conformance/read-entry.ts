/**
 * Reads a conformance entry from its text. A file that is a plan itself is an entry without a script; every problem, in
 * the entry or in its plans, is reported with its line and column.
 */
import { entry as entryFormat, type EntryFields } from '../../core/conformance/entry.ts'
import { LIMITS } from '../../core/limits.ts'
import { isObject } from '../../core/plan/format/kind.ts'
import { readPlanValue, sortProblems } from '../../core/plan/compile/parse-plan.ts'
import type { Json } from '../../core/plan/plan.ts'
import { readDocument, type ReadDocument, type ReadOptions } from '../../core/plan/read/read-document.ts'
import { child, refuse, type Codes, type Reading } from '../../core/plan/read/reading.ts'
import type { Problem } from '../../core/problems/problem.ts'
import { ok, refusedFor, type Result } from '../../core/result.ts'
import { finishPlan, type CompiledPlan } from '../plans/compile.ts'
import type { ForeignText, ImportedPlan, ImportOptions } from '../plans/import-plan.ts'

export interface Entry extends Omit<EntryFields, PlanField> {
  readonly name: string
  readonly plan: CompiledPlan
  readonly plans: readonly CompiledPlan[]
}

/** Where the plans of an entry come from. */
type PlanField = 'plan' | 'planFile' | 'importFile' | 'matrixFiles' | 'plans'

export interface EntryFile {
  readonly file: string
  /** The name of the entry. */
  readonly name: string
  readonly text: string
  /** Further plans that the steps of a bare plan start. */
  readonly others?: readonly CompiledPlan[]
  /** Text of the file that an entry names by `planFile`, relative to the entry. */
  readonly readBeside: (path: string) => { readonly file: string; readonly text: string }
  /** Of the text of a plan. */
  readonly compile: (text: string, options: ReadOptions) => Result<CompiledPlan>
  /** Of a workflow from elsewhere. */
  readonly importForeign: (given: ForeignText, options: ImportOptions) => Result<Pick<ImportedPlan, 'compiled'>>
}

const CODES: Codes = { unknown: 'ENTRY_INVALID', missing: 'ENTRY_INVALID', invalid: 'ENTRY_INVALID' }

export function readEntry(given: EntryFile): Result<Entry> {
  // Too long to be read here: then it can only be a plan. An entry names such a plan by `planFile`.
  if (given.text.length > LIMITS.planTextHereChars) return barePlan(given)
  const document = readDocument(given.text, { file: given.file })
  const { root, problems, positionOf } = document
  if (root === undefined) return refusedFor(problems)
  if (!isEntry(root.value)) return barePlan(given)
  const reading: Reading = { problems: [...problems], sites: [], positionOf, codes: CODES }
  const read = entryFormat.read(root.value, undefined, reading)
  checkRules(root.value, reading)
  const plans = plansOf(root.value, document, given)
  const found = [...reading.problems, ...plans.problems]
  const [plan, ...others] = plans.compiled
  if (read === undefined || plan === undefined || found.length > 0) return refusedFor(sortProblems(found))
  const { plan: _plan, planFile: _file, importFile: _foreign, matrixFiles: _matrices, plans: _plans, ...rest } = read
  return ok({ ...rest, name: given.name, plan, plans: others })
}

const FILES = ['planFile', 'importFile']

/** In a bare plan `plan` is its id, a text; in an entry it is a plan. */
function isEntry(value: Json): boolean {
  return isObject(value) && (isObject(value['plan']) || FILES.some((name) => value[name] !== undefined))
}

function barePlan({ text, file, name, others = [], compile }: EntryFile): Result<Entry> {
  const compiled = compile(text, { file })
  return compiled.ok ? ok({ name, plan: compiled.value, plans: others }) : compiled
}

interface Plans {
  readonly compiled: readonly CompiledPlan[]
  readonly problems: readonly Problem[]
}

function plansOf(value: Json, { positionOf }: ReadDocument, given: EntryFile): Plans {
  if (!isObject(value)) return { compiled: [], problems: [] }
  const compileAt = (pointer: string, part: Json): Result<CompiledPlan> =>
    finishPlan(readPlanValue(part, [], (inner, which) => positionOf(`${pointer}${inner}`, which)))
  const others = Array.isArray(value['plans']) ? (value['plans'] as readonly Json[]) : []
  const results = [
    ...(isObject(value['plan']) ? [compileAt('/plan', value['plan'])] : []),
    ...(typeof value['planFile'] === 'string' ? [planBeside(given, value['planFile'])] : []),
    ...(typeof value['importFile'] === 'string'
      ? [importBeside(given, value['importFile'], value['matrixFiles'])]
      : []),
    ...others.map((other, index) => compileAt(`/plans/${index}`, other)),
  ]
  return {
    compiled: results.flatMap((result) => (result.ok ? [result.value] : [])),
    problems: results.flatMap((result) => (result.ok ? [] : result.problems)),
  }
}

function planBeside({ readBeside, compile }: EntryFile, path: string): Result<CompiledPlan> {
  const { file, text } = readBeside(path)
  return compile(text, { file })
}

function importBeside({ readBeside, importForeign }: EntryFile, path: string, given: Json = []): Result<CompiledPlan> {
  const matrices = Array.isArray(given) ? given.filter((one) => typeof one === 'string').map(readBeside) : []
  const imported = importForeign(readBeside(path), { matrices })
  return imported.ok ? ok(imported.value.compiled) : imported
}

/** Rules that the table of fields cannot express. */
function checkRules(value: Json, reading: Reading): void {
  if (!isObject(value)) return
  const [, second] = ['plan', ...FILES].filter((name) => value[name] !== undefined)
  if (second !== undefined)
    refuse(
      reading,
      'ENTRY_INVALID',
      child(undefined, second),
      `an entry has one of 'plan', 'planFile' and 'importFile'`,
    )
  if (value['matrixFiles'] !== undefined && value['importFile'] === undefined)
    refuse(reading, 'ENTRY_INVALID', child(undefined, 'matrixFiles'), `'matrixFiles' belong to an 'importFile'`)
  const moves = Array.isArray(value['moves']) ? (value['moves'] as readonly Json[]) : []
  moves.forEach((move, index) => {
    const kinds = isObject(move) ? ['send', 'event', 'complete', 'fork'].filter((name) => move[name] !== undefined) : []
    if (kinds.length === 1) return
    const place = child(child(undefined, 'moves'), index)
    refuse(reading, 'ENTRY_INVALID', place, `a move needs exactly one of 'send', 'event', 'complete' and 'fork'`)
  })
}
