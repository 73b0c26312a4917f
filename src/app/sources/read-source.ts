/**
 * A text whose author and kind are unknown: a plan, or a document of another project, told by its shape. What it was made of
 * stays with the plan.
 */
import { originOf, type Origin } from '../../core/plan/import/origin.ts'
import { isObject } from '../../core/plan/format/kind.ts'
import type { Json } from '../../core/plan/plan.ts'
import { readDocument } from '../../core/plan/read/read-document.ts'
import { ok, type Result } from '../../core/result.ts'
import { compilePlan, type CompiledPlan } from '../plans/compile.ts'
import { importPlan } from '../plans/import-plan.ts'

export interface ReadSource {
  readonly compiled: CompiledPlan
  /** As the document says; absent where it does not. */
  readonly schemaVersion?: string
}

export interface SourceOptions {
  /** For messages. */
  readonly file?: string
  /** The project it is from, where that is known. */
  readonly from?: Origin
}

export function readSource(text: string, { from: known, ...options }: SourceOptions = {}): Result<ReadSource> {
  const { root } = readDocument(text, options)
  const from = known ?? (root === undefined ? undefined : originOf(root.value))
  const said = root === undefined ? {} : saidVersion(root.value)
  if (from === undefined || from === 'plan') {
    const compiled = compilePlan(text, options)
    return compiled.ok ? ok({ compiled: compiled.value, ...said }) : compiled
  }
  const imported = importPlan({ text, ...options }, { from })
  return imported.ok ? ok({ compiled: imported.value.compiled, ...said }) : imported
}

/** dvt says it among its metadata. */
function saidVersion(value: Json): { readonly schemaVersion?: string } {
  if (!isObject(value)) return {}
  const { schemaVersion = isObject(value.metadata) ? value.metadata.schemaVersion : undefined } = value
  return typeof schemaVersion === 'string' ? { schemaVersion } : {}
}
