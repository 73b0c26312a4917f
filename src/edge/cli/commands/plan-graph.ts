/** `keelson plan graph`: a plan drawn layer by layer; steps of one layer may run in parallel. */
import { compileGraph } from '../../../core/plan/compile/graph.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { FORMATS, layersOf, planDot, planLines, planMermaid, type Format } from '../progress/plan-picture.ts'
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
    const graph = compileGraph(plan)
    const layers = layersOf(graph)
    graph.steps.forEach(({ stepId }, index) =>
      terminal.json({
        stepId,
        kind: graph.kinds[index],
        layer: (layers[index] ?? 0) + 1,
        after: (graph.dependencies[index] ?? []).map((one) => graph.stepIds[one]),
      }),
    )
  } else if (format === 'mermaid') terminal.write(`${planMermaid(plan)}\n`)
  else if (format === 'dot') terminal.write(`${planDot(plan)}\n`)
  else for (const line of planLines(plan, terminal.paint)) terminal.line(line)
  return EXIT.completed
}
