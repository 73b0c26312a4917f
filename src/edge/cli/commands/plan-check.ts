/** `keelson plan check`: every problem of a plan and of the plans it starts, found without running anything. */
import { dirname } from 'node:path'
import { checkHandlers } from '../check-handlers.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { plural } from '../output/format.ts'
import { childPlanFiles, readPlanFile } from '../plan-file.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

export async function planCheck({ args, options, terminal }: Call): Promise<number> {
  const file = readPlanFile(args[0] ?? '')
  const files = [file, ...childPlanFiles(file)]
  checkHandlers(files, await loadSteps(findStepsFile(options.text('steps'), [dirname(file.path), '.'])))
  for (const { path, compiled } of files) {
    const { planId, planVersion } = compiled.plan.metadata
    if (options.json)
      terminal.json({ file: path, planId, planVersion, steps: compiled.plan.steps.length, sha256: compiled.sha256 })
    else {
      const { green, bold, dim } = terminal.paint
      terminal.line(
        `${green('✔')} ${path}   ${bold(planId)} ${planVersion}, ${plural(compiled.plan.steps.length, 'step')}   ${dim(`sha256 ${compiled.sha256}`)}`,
      )
    }
  }
  return EXIT.completed
}
