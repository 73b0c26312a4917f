/**
 * `keelson plan import`: a foreign workflow document, with the capability matrices it relies on, written as a plan. Nothing is
 * written unless every document is in order and the plan compiles.
 */
import { writeFileSync } from 'node:fs'
import { compilePlanDocument } from '../../../app/compile-plan.ts'
import { parseCapabilityMatrix } from '../../../core/plan/import/capability-matrix.ts'
import { importWorkflow } from '../../../core/plan/import/import-workflow.ts'
import { planYaml } from '../../../core/plan/import/plan-yaml.ts'
import { parseWorkflow } from '../../../core/plan/import/workflow-v1.ts'
import { KeelsonError, type Problem } from '../../../core/problems/problem.ts'
import type { Result } from '../../../core/result.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { plural } from '../output/format.ts'
import { readText } from '../text-file.ts'

export async function planImport({ args, options, terminal }: Call): Promise<number> {
  const file = args[0] ?? ''
  const workflow = parseWorkflow(readText(file, 'PLAN_SYNTAX'), { file })
  const matrices = options
    .list('matrix')
    .map((path) => parseCapabilityMatrix(readText(path, 'PLAN_SYNTAX'), { file: path }))
  refuseAll([workflow, ...matrices])
  const document = valueOf(importWorkflow(valueOf(workflow), matrices.map(valueOf)))
  const { plan, sha256 } = valueOf(compilePlanDocument(document))
  const { planId, planVersion } = plan.metadata
  const out = options.text('out')
  const asJson = out?.toLowerCase().endsWith('.json') === true
  if (out !== undefined) writeFileSync(out, asJson ? `${JSON.stringify(document, null, 2)}\n` : planYaml(document))
  const { green, bold, dim } = terminal.paint
  if (options.json)
    terminal.json({ planId, planVersion, sha256, ...(out === undefined ? { plan: document } : { file: out }) })
  else if (out === undefined) terminal.write(planYaml(document))
  else
    terminal.line(
      `${green('✔')} ${out}   ${bold(planId)} ${planVersion}, ${plural(plan.steps.length, 'step')}   ${dim(`sha256 ${sha256}`)}`,
    )
  return EXIT.completed
}

/** The problems of all documents together, so that nobody corrects them one file at a time. */
function refuseAll(results: readonly Result<unknown>[]): void {
  const found: readonly Problem[] = results.flatMap((result) => (result.ok ? [] : result.problems))
  const [first, ...rest] = found
  if (first !== undefined) throw new KeelsonError([first, ...rest])
}

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const [first, ...rest] = result.problems
  if (first === undefined) throw new Error('refused without a reason')
  throw new KeelsonError([first, ...rest])
}
