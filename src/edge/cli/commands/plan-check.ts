/**
 * `keelson plan check`: every problem of a plan and of the plans it starts, whether the engine has what they require, and what
 * they can reach. It runs nothing: only the text of the steps file beside the plan is read.
 */
import { dirname, relative } from 'node:path'
import { dutyProblems } from '../../../app/plans/check-duties.ts'
import { refuseFor } from '../../../app/plans/check-engine.ts'
import { appendAll } from '../../../core/collections/append-all.ts'
import type { EngineType } from '../../../core/engine/engine-type.ts'
import { KeelsonError, type Problem } from '../../../core/problems/problem.ts'
import { validatePlan, type ValidationReport } from '../../../main.ts'
import { engineName } from '../open/engine-choice.ts'
import { checkHandlers } from '../files/check-handlers.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { reportLines } from '../output/bounds.ts'
import { reachJson, reachLines } from '../output/reach.ts'
import { childPlanFiles } from '../files/child-files.ts'
import { hashesOf, readPlanFile, type PlanFile } from '../files/plan-file.ts'
import { seenSteps } from '../files/seen-steps.ts'
import { findStepsFile } from '../files/steps-file.ts'

export async function planCheck({ args, options, terminal }: Call): Promise<number> {
  const file = readPlanFile(args[0] ?? '')
  const { used, unused } = childPlanFiles(file)
  const files = [file, ...used]
  const steps = seenSteps(findStepsFile(options.text('steps'), [dirname(file.path), '.']))
  checkHandlers(files, steps)
  const [first, ...more] = dutyProblems(files.map(({ compiled }) => compiled))
  if (first !== undefined) throw new KeelsonError([first, ...more])
  const reports = reportsOn(files, engineName(options) ?? 'embedded')
  const stepsFile = steps.path === undefined ? undefined : relative('.', steps.path)
  for (const [index, { path, compiled }] of files.entries()) {
    const report = reports[index]
    const { planId, planVersion } = compiled.plan.metadata
    if (options.json)
      terminal.json({
        file: path,
        planId,
        planVersion,
        steps: compiled.plan.steps.length,
        ...hashesOf(compiled),
        validationReport: report,
        touches: reachJson({ plans: [compiled], steps: stepsFile }),
        ...(path === file.path && unused.length > 0 ? { unused } : {}),
      })
    else {
      const { green, bold, dim } = terminal.paint
      terminal.line(
        `${green('✔')} ${path}   ${bold(planId)} ${planVersion}, ${plural(compiled.plan.steps.length, 'step')}   ${dim(`sha256 ${compiled.sha256}`)}`,
      )
      for (const line of reportLines(report, terminal.paint)) terminal.line(line)
    }
  }
  if (options.json) return EXIT.completed
  terminal.line()
  const reaching = { plans: files.map(({ compiled }) => compiled), steps: stepsFile, unused }
  for (const line of reachLines(reaching, terminal.paint)) terminal.line(line)
  return EXIT.completed
}

/** As a start of each would be judged: all refusals at once. */
function reportsOn(files: readonly PlanFile[], engine: EngineType): readonly ValidationReport[] {
  const problems: Problem[] = []
  const reports = files.flatMap(({ compiled }) => {
    try {
      const report = validatePlan(compiled, { targetAdapter: engine })
      if (report.status === 'ERRORS') refuseFor(report)
      return [report]
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      appendAll(problems, thrown.problems)
      return []
    }
  })
  const [first, ...more] = problems
  if (first !== undefined) throw new KeelsonError([first, ...more])
  return reports
}
