/**
 * A conformance entry from its text. A file that is a plan itself is an entry without a script; everything wrong, in the
 * entry or in its plans, is told with its line and column.
 */
import { entry as entryFormat, type EntryFields } from '../../core/conformance/entry.ts'
import { isObject } from '../../core/plan/kind.ts'
import { readPlanValue, sortProblems } from '../../core/plan/parse-plan.ts'
import type { Json } from '../../core/plan/plan.ts'
import { readDocument, type ReadDocument } from '../../core/plan/read-document.ts'
import { child, refuse, type Codes, type Reading } from '../../core/plan/reading.ts'
import type { Problem } from '../../core/problems/problem.ts'
import { ok, type Result } from '../../core/result.ts'
import { compilePlan, finishPlan, type CompiledPlan } from '../compile-plan.ts'

export interface Entry extends Omit<EntryFields, 'plan' | 'planFile' | 'plans'> {
  readonly name: string
  readonly plan: CompiledPlan
  readonly plans: readonly CompiledPlan[]
}

export interface EntryFile {
  readonly file: string
  /** What the entry is called. */
  readonly name: string
  readonly text: string
  /** Plans beside a bare plan that its steps start. */
  readonly others?: readonly CompiledPlan[]
  /** Text of the file an entry names by `planFile`, seen from the entry. */
  readonly readBeside: (path: string) => { readonly file: string; readonly text: string }
}

const CODES: Codes = { unknown: 'ENTRY_INVALID', missing: 'ENTRY_INVALID', invalid: 'ENTRY_INVALID' }

export function readEntry(given: EntryFile): Result<Entry> {
  const document = readDocument(given.text, { file: given.file })
  const { root, problems, positionOf } = document
  if (root === undefined) return { ok: false, problems }
  if (!isEntry(root.value)) return barePlan(given)
  const reading: Reading = { problems: [...problems], sites: [], positionOf, codes: CODES }
  const read = entryFormat.read(root.value, undefined, reading)
  checkRules(root.value, reading)
  const plans = plansOf(root.value, document, given)
  const found = [...reading.problems, ...plans.problems]
  const [plan, ...others] = plans.compiled
  if (read === undefined || plan === undefined || found.length > 0) return { ok: false, problems: sortProblems(found) }
  const { plan: _plan, planFile: _file, plans: _plans, ...rest } = read
  return ok({ ...rest, name: given.name, plan, plans: others })
}

/** The `plan` of a bare plan is its id, a text; that of an entry is a plan. */
function isEntry(value: Json): boolean {
  return isObject(value) && (isObject(value['plan']) || value['planFile'] !== undefined)
}

function barePlan({ text, file, name, others = [] }: EntryFile): Result<Entry> {
  const compiled = compilePlan(text, { file })
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
    ...others.map((other, index) => compileAt(`/plans/${index}`, other)),
  ]
  return {
    compiled: results.flatMap((result) => (result.ok ? [result.value] : [])),
    problems: results.flatMap((result) => (result.ok ? [] : result.problems)),
  }
}

function planBeside({ readBeside }: EntryFile, path: string): Result<CompiledPlan> {
  const { file, text } = readBeside(path)
  return compilePlan(text, { file })
}

/** What the table of fields cannot say. */
function checkRules(value: Json, reading: Reading): void {
  if (!isObject(value)) return
  if (value['plan'] !== undefined && value['planFile'] !== undefined)
    refuse(reading, 'ENTRY_INVALID', child(undefined, 'planFile'), `an entry has 'plan' or 'planFile', not both`)
  const moves = Array.isArray(value['moves']) ? (value['moves'] as readonly Json[]) : []
  moves.forEach((move, index) => {
    const kinds = isObject(move) ? ['send', 'complete', 'fork'].filter((name) => move[name] !== undefined) : []
    if (kinds.length === 1) return
    const place = child(child(undefined, 'moves'), index)
    refuse(reading, 'ENTRY_INVALID', place, `a move needs exactly one of 'send', 'complete' and 'fork'`)
  })
}
