/** A plan as a picture: in the terminal layer by layer, or as Mermaid or DOT for other tools. Pure. */
import { greatest } from '../../../core/collections/extremes.ts'
import { layersOf } from '../../../core/plan/compile/layers.ts'
import { compileGraph, type PlanGraph } from '../../../core/plan/compile/graph.ts'
import { itemsOf, type Plan, type Step } from '../../../core/plan/plan.ts'
import type { Paint } from '../terminal/paint.ts'
import { duration, plural } from '../terminal/format.ts'

export const FORMATS = ['text', 'mermaid', 'dot'] as const
export type Format = (typeof FORMATS)[number]

/** What a step does, in two words. */
export function actionText(step: Step): string {
  if ('run' in step) return step.run
  if ('http' in step) return `${step.http.method} ${step.http.url}`
  if ('command' in step) return step.command.argv.join(' ')
  if ('manual' in step) return `a person: ${step.manual.title}`
  if ('plan' in step) return `plan ${step.plan.planId}`
  if ('dbt' in step) return `dbt ${step.dbt.command}`
  const { wait } = step
  if ('forEvent' in wait) return `wait for ${wait.forEvent}${wait.key === undefined ? '' : ` ${wait.key}`}`
  if ('until' in wait) return `wait until ${wait.until}`
  return `wait ${typeof wait.forMs === 'number' ? duration(wait.forMs) : wait.forMs}`
}

function attemptsNote({ retry: { maxAttempts } }: Step): string {
  return maxAttempts === 'unlimited' ? 'unlimited attempts' : plural(maxAttempts, 'attempt')
}

function notesOf(step: Step): readonly string[] {
  return [
    ...(step.forEach === undefined
      ? []
      : [
          `for each of ${itemsOf(step.forEach)}${typeof step.forEach === 'object' ? `, ${step.forEach.concurrency} at once` : ''}`,
        ]),
    ...(step.if === undefined ? [] : [`if ${step.if}`]),
    ...(step.unless === undefined ? [] : [`unless ${step.unless}`]),
    ...('run' in step || 'http' in step || 'command' in step ? [attemptsNote(step)] : []),
    ...(step.compensate === undefined ? [] : ['can be undone']),
    ...(step.fallback === undefined ? [] : ['has a fallback']),
  ]
}

export function planLines(plan: Plan, paint: Paint): readonly string[] {
  const graph = compileGraph(plan)
  const layers = layersOf(graph)
  const depth = greatest(layers, 0) + 1
  const names = greatest(graph.steps.map(({ stepId }) => stepId.length))
  const actions = Math.min(40, greatest(graph.steps.map((step) => actionText(step).length)))
  const lines = [
    `${paint.bold(plan.metadata.planId)} ${plan.metadata.planVersion}   ${plural(graph.steps.length, 'step')} in ${plural(depth, 'layer')}${graph.sequential ? ', one after another' : ''}`,
  ]
  for (let layer = 0; layer < depth; layer += 1) {
    lines.push(layer === 0 ? '' : paint.dim('    │'))
    const members = graph.steps.flatMap((step, index) => (layers[index] === layer ? [{ step, index }] : []))
    members.forEach(({ step, index }, place) => {
      const after = (graph.dependencies[index] ?? []).map((one) => graph.stepIds[one] ?? '')
      const edge = members.length === 1 ? '●' : place === 0 ? '┬' : place === members.length - 1 ? '└' : '├'
      const number = place === 0 ? String(layer + 1).padStart(3) : '   '
      const from = after.length === 0 || graph.sequential ? '' : `after ${after.join(', ')}`
      const notes = [...notesOf(step), from].filter((note) => note !== '').join('   ')
      lines.push(
        `${paint.dim(number)} ${paint.cyan(edge)} ${paint.bold(step.stepId.padEnd(names))}  ${actionText(step).padEnd(actions)}  ${paint.dim(notes)}`.trimEnd(),
      )
    })
  }
  return lines
}

const mermaidText = (text: string): string =>
  text.replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;')

export function planMermaid(plan: Plan): string {
  const graph = compileGraph(plan)
  const shape = (step: Step): string => {
    const label = `"${mermaidText(step.stepId)}${step.forEach === undefined ? '' : ' ×n'}<br/>${mermaidText(actionText(step))}"`
    if ('manual' in step) return `[/${label}/]`
    return 'wait' in step ? `(${label})` : 'plan' in step ? `[[${label}]]` : `[${label}]`
  }
  return [
    'flowchart TD',
    ...graph.steps.map((step, index) => `  s${index}${shape(step)}`),
    ...edges(graph, '-->'),
  ].join('\n')
}

export function planDot(plan: Plan): string {
  const graph = compileGraph(plan)
  const label = (step: Step): string =>
    JSON.stringify(`${step.stepId}${step.forEach === undefined ? '' : ' ×n'}\n${actionText(step)}`)
  const nodes = graph.steps.map((step, index) => `  s${index} [label=${label(step)}];`)
  const title = JSON.stringify(`${plan.metadata.planId} ${plan.metadata.planVersion}`)
  return [
    `digraph ${title} {`,
    '  node [shape=box, fontname="sans-serif"];',
    ...nodes,
    ...edges(graph, '->').map((edge) => `${edge};`),
    '}',
  ].join('\n')
}

function edges({ dependencies }: PlanGraph, arrow: string): readonly string[] {
  return dependencies.flatMap((before, index) => before.map((one) => `  s${one} ${arrow} s${index}`))
}
