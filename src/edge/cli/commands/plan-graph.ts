/** `keelson plan graph`: a plan drawn layer by layer; steps of one layer may run at once. */
import { compileGraph } from '../../../core/plan/graph.ts'
import { didYouMean } from '../../../core/plan/reading.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { FORMATS, layersOf, planDot, planLines, planMermaid, type Format } from '../output/plan-picture.ts'
import { readPlanFile } from '../plan-file.ts'

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
  } else if (format === 'mermaid') terminal.line(planMermaid(plan))
  else if (format === 'dot') terminal.line(planDot(plan))
  else for (const line of planLines(plan, terminal.paint)) terminal.line(line)
  return EXIT.completed
}
