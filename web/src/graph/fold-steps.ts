/**
 * A plan of many steps is drawn folded: steps of one layer whose names begin alike are one cell, which opens into its steps, or into
 * smaller cells where they are many. Which cells are open is in the address, so the keys depend on the plan alone.
 */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { layersOf } from '../../../src/core/plan/compile/layers.ts'

/** What is drawn as one: a step, or a fold of several. */
export interface Cell {
  /** The name of the step, or that under which the fold is opened. */
  readonly key: string
  readonly name: string
  readonly layer: number
  /** By their numbers in the plan. */
  readonly steps: readonly number[]
}

/** A plan of so many steps is drawn as it is. */
export const DRAWN_WHOLE = 300
/** A fold of more opens into smaller folds. */
const OPENED_AT_ONCE = 60
const LEAST_IN_PART = 10

interface Fold {
  readonly key: string
  readonly name: string
}

type Rung = (layer: number, stepId: string, bands: number) => Fold

const BANDS = 100
const withoutNumber = (stepId: string): string => stepId.replace(/[-_.]?\d+$/, '')
const firstWord = (stepId: string): string => withoutNumber(stepId).split(/[-_.]/, 1)[0] ?? ''
const bandOf = (layer: number, bands: number): number => Math.floor(layer / Math.max(1, Math.ceil(bands / BANDS)))

/** From fine to coarse: the first that leaves few enough cells is taken. */
const RUNGS: readonly Rung[] = [
  (layer, stepId) => ({ key: `${layer}.${withoutNumber(stepId)}`, name: `${withoutNumber(stepId)}…` }),
  (layer, stepId) => ({ key: `${layer}.${firstWord(stepId)}`, name: `${firstWord(stepId)}…` }),
  (layer) => ({ key: `${layer}`, name: `layer ${layer + 1}` }),
  (layer, stepId, bands) => {
    const [band, word] = [bandOf(layer, bands), firstWord(stepId)]
    return { key: `band-${band}.${word}`, name: `${word}…` }
  },
  (layer, _stepId, bands) => ({ key: `band-${bandOf(layer, bands)}`, name: `part ${bandOf(layer, bands) + 1}` }),
]

/** `open`: the keys of the folds that are open; `all` opens every one. */
export function cellsOf(graph: PlanGraph, open: ReadonlySet<string>, all: boolean): readonly Cell[] {
  const layers = layersOf(graph)
  const step = (index: number): Cell => {
    const stepId = graph.stepIds[index] ?? ''
    return { key: stepId, name: stepId, layer: layers[index] ?? 0, steps: [index] }
  }
  if (graph.steps.length <= DRAWN_WHOLE || all) return graph.steps.map((_step, index) => step(index))
  return foldsOf(graph, layers).flatMap((fold) => opened(fold, open, step))
}

function opened(fold: Cell, open: ReadonlySet<string>, step: (index: number) => Cell): readonly Cell[] {
  const [only, second] = fold.steps
  if (only !== undefined && second === undefined) return [step(only)]
  if (!open.has(fold.key)) return [fold]
  if (fold.steps.length <= OPENED_AT_ONCE) return fold.steps.map(step)
  const size = Math.max(LEAST_IN_PART, Math.ceil(fold.steps.length / OPENED_AT_ONCE))
  const parts = Array.from({ length: Math.ceil(fold.steps.length / size) }, (_, at) => {
    const steps = fold.steps.slice(at * size, (at + 1) * size)
    const { name, layer } = step(steps[0] ?? 0)
    return { key: `${fold.key}~${at}`, name: `${name}…`, layer, steps }
  })
  return parts.flatMap((part) => opened(part, open, step))
}

function foldsOf(graph: PlanGraph, layers: readonly number[]): readonly Cell[] {
  const bands = layers.reduce((most, layer) => Math.max(most, layer), 0) + 1
  let folds: readonly Cell[] = []
  for (const rung of RUNGS) {
    folds = foldedBy(rung, graph, layers, bands)
    if (folds.length <= DRAWN_WHOLE) break
  }
  return folds
}

function foldedBy(rung: Rung, graph: PlanGraph, layers: readonly number[], bands: number): readonly Cell[] {
  const folds = new Map<string, Cell & { readonly steps: number[] }>()
  graph.stepIds.forEach((stepId, index) => {
    const layer = layers[index] ?? 0
    const { key, name } = rung(layer, stepId, bands)
    const fold = folds.get(key)
    if (fold === undefined) folds.set(key, { key, name, layer, steps: [index] })
    else fold.steps.push(index)
  })
  return [...folds.values()]
}

/** The folds to open, from the outermost, until a step is drawn itself. */
export function foldsAround(graph: PlanGraph, stepId: string): readonly string[] {
  const index = graph.indexOf.get(stepId)
  const keys: string[] = []
  for (;;) {
    const cell = cellsOf(graph, new Set(keys), false).find(({ steps }) => steps.includes(index ?? -1))
    if (cell === undefined || cell.steps.length === 1 || keys.includes(cell.key)) return keys
    keys.push(cell.key)
  }
}
