/** `keelson plan graph`: a plan drawn layer by layer; steps of one layer may run in parallel. */
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { graphSteps } from '../../../core/plan/compile/graph-steps.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { FORMATS, planDot, planLines, planMermaid, type Format } from '../progress/plan-picture.ts'
import { readPlanFile } from '../files/plan-file.ts'

function formatOf(name: string): Format {
  const known = FORMATS.find((one) => one === name)
  return (
    known ?? fail('USAGE', `'${name}' is not a format; it is one of ${FORMATS.join(', ')}`, didYouMean(name, FORMATS))
  )
}

export async function planGraph({ args, options, terminal }: Call): Promise<number> {
  const format = formatOf(options.text('format') ?? 'text')
  const { plan } = readPlanFile(args[0] ?? '').compiled
  if (options.json) {
    for (const step of graphSteps(plan)) terminal.json(step)
  } else if (format === 'mermaid') terminal.write(`${planMermaid(plan)}\n`)
  else if (format === 'dot') terminal.write(`${planDot(plan)}\n`)
  else for (const line of planLines(plan, terminal.paint)) terminal.line(line)
  return EXIT.completed
}
