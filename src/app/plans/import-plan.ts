/**
 * Reads a document of another project and makes a plan of it: all or nothing. Which project it is from is told by its shape,
 * or by whoever brings it. Problems are told at their line and column of that document, also those of the plan made of it.
 */
import { parseCapabilityMatrix } from '../../core/plan/import/capability-matrix.ts'
import { isObject } from '../../core/plan/format/kind.ts'
import { importExecutionPlan } from '../../core/plan/import/import-execution-plan.ts'
import { importOrchestr8 } from '../../core/plan/import/import-orchestr8.ts'
import { importWorkflow } from '../../core/plan/import/import-workflow.ts'
import { inOrigin, type Document, type Imported } from '../../core/plan/import/imported.ts'
import { originOf, ORIGINS, type Origin } from '../../core/plan/import/origin.ts'
import { parsePack } from '../../core/plan/import/workflow-pack.ts'
import { parseWorkflow } from '../../core/plan/import/workflow-v1.ts'
import { readDocument } from '../../core/plan/read/read-document.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ok, refused, refusedFor, type Result } from '../../core/result.ts'
import { compilePlanDocument, type CompiledPlan } from './compile.ts'
import { madeOf, sourceOf } from './plan-source.ts'

export interface ForeignText {
  readonly text: string
  readonly file?: string
}

export interface ImportOptions {
  /** Capability matrices of Portarium. */
  readonly matrices?: readonly ForeignText[]
  readonly from?: Origin
}

export interface ImportedPlan {
  readonly from: Origin
  readonly document: Document
  readonly compiled: CompiledPlan
}

export function importPlan(given: ForeignText, { matrices = [], from }: ImportOptions = {}): Result<ImportedPlan> {
  const origin = from === undefined ? told(given) : ok(from)
  if (!origin.ok) return origin
  const imported = importFrom(origin.value, given, matrices)
  if (!imported.ok) return imported
  const { document } = imported.value
  const compiled = compilePlanDocument(document)
  if (compiled.ok) {
    const source = { ...sourceOf(given.text), from: origin.value }
    return ok({ from: origin.value, document, compiled: madeOf(compiled.value, source) })
  }
  return refusedFor(compiled.problems.map((one) => inOrigin(imported.value, one)))
}

function optionsOf({ file }: ForeignText): { readonly file?: string } {
  return file === undefined ? {} : { file }
}

function told(given: ForeignText): Result<Origin> {
  const { root, problems, positionOf } = readDocument(given.text, optionsOf(given))
  if (root === undefined) return refusedFor(problems)
  const origin = originOf(root.value)
  if (origin !== undefined && origin !== 'plan') return ok(origin)
  const at = positionOf('')
  const message =
    origin === 'plan'
      ? 'this is a plan already: run it as it is'
      : `this is no document of ${ORIGINS.slice(0, -1).join(', ')} or ${ORIGINS.at(-1)}`
  const hint = `say which one it is: --from ${ORIGINS.join('|')}`
  const more = origin === 'plan' ? {} : { hint }
  return refused(problem('WORKFLOW_INVALID', message, { pointer: '', ...more, ...(at === undefined ? {} : { at }) }))
}

function importFrom(from: Origin, given: ForeignText, matrices: readonly ForeignText[]): Result<Imported> {
  if (from === 'orchestr8') return importOrchestr8(given.text, optionsOf(given))
  if (from === 'dvt') return importExecutionPlan(given.text, optionsOf(given))
  return importPortarium(given, matrices)
}

/** The problems of all documents together, so that they can be corrected in one go. */
function importPortarium(given: ForeignText, matrices: readonly ForeignText[]): Result<Imported> {
  const value = readDocument(given.text, optionsOf(given)).root?.value ?? null
  const isPack = isObject(value) && value['packId'] !== undefined
  const read = (isPack ? parsePack : parseWorkflow)(given.text, optionsOf(given))
  const tables = matrices.map((one) => parseCapabilityMatrix(one.text, optionsOf(one)))
  const problems: readonly Problem[] = [read, ...tables].flatMap((one) => (one.ok ? [] : one.problems))
  if (!read.ok || problems.length > 0) return refusedFor(problems)
  const { positionOf } = read.value
  const document = importWorkflow(
    read.value,
    tables.flatMap((one) => (one.ok ? [one.value] : [])),
  )
  return document.ok ? ok({ document: document.value, places: new Map([['', '']]), positionOf }) : document
}
