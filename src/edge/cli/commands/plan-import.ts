/**
 * `keelson plan import`: a document of orchestr8, dvt or Portarium, with the capability matrices it relies on, written as a plan.
 * Nothing is written unless every document is valid and the plan compiles.
 */
import { writeFileSync } from 'node:fs'
import type { ForeignText, ImportedPlan } from '../../../app/plans/import-plan.ts'
import { LIMITS } from '../../../core/limits.ts'
import { planYaml } from '../../../core/plan/write/plan-yaml.ts'
import { ORIGINS, type Origin } from '../../../core/plan/import/origin.ts'
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import { visibleJson, visibleLines } from '../../../core/visible-text.ts'
import type { Result } from '../../../core/result.ts'
import { importText } from '../../../library/plans/compile-apart.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { readPlanBytes, readText } from '../files/text-file.ts'

const MOST = { bytes: LIMITS.planBytes, code: 'PLAN_TOO_LARGE' } as const

export async function planImport({ args, options, terminal }: Call): Promise<number> {
  const file = args[0] ?? ''
  const read = (path: string): ForeignText => ({ text: readText(path, 'PLAN_SYNTAX', MOST), file: path })
  const { text, source } = readPlanBytes(file)
  const { document, compiled } = valueOf(
    importText({ text, file }, { matrices: options.list('matrix').map(read), ...fromOf(options.text('from')) }),
  )
  const { plan, sha256 } = compiled
  const { planId, planVersion } = plan.metadata
  const out = options.text('out')
  const asJson = out?.toLowerCase().endsWith('.json') === true
  if (out !== undefined) writeFileSync(out, asJson ? `${JSON.stringify(document, null, 2)}\n` : planYaml(document))
  const { green, bold, dim } = terminal.paint
  if (options.json)
    terminal.json({
      planId,
      planVersion,
      sha256,
      sourceSha256: source.sha256,
      ...(out === undefined ? { plan: document } : { file: out }),
    })
  else if (out === undefined) terminal.write(showable(document))
  else
    terminal.line(
      `${green('✔')} ${out}   ${bold(planId)} ${planVersion}, ${plural(plan.steps.length, 'step')}   ${dim(`sha256 ${sha256}`)}`,
    )
  return EXIT.completed
}

function fromOf(written: string | undefined): { readonly from?: Origin } {
  if (written === undefined) return {}
  const from = ORIGINS.find((one) => one === written)
  if (from !== undefined) return { from }
  const message = `--from is ${ORIGINS.slice(0, -1).join(', ')} or ${ORIGINS.at(-1)}, not '${written}'`
  throw new KeelsonError([problem('USAGE', message)])
}

/** JSON is YAML too, and has an escape for what must not reach a terminal as it is. */
function showable(document: ImportedPlan['document']): string {
  const yaml = planYaml(document)
  return visibleLines(yaml) === yaml ? yaml : `${visibleJson(JSON.stringify(document, null, 2))}\n`
}

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const [first, ...rest] = result.problems
  if (first === undefined) throw new Error('refused without a reason')
  throw new KeelsonError([first, ...rest])
}
