/**
 * Where the steps of a plan are drawn: layers from left to right as the core counts them, each layer in an order that keeps edges
 * short. An edge over several layers gets a place in each, so that it passes between steps and not behind them.
 */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { layersOf } from '../../../src/core/plan/compile/layers.ts'

export const NODE = { width: 176, height: 46 } as const
const GAP = { x: 44, y: 16 } as const
const PASS_HEIGHT = 14
const SWEEPS = 6

export interface DrawnStep {
  readonly stepId: string
  readonly x: number
  readonly y: number
}

export interface DrawnEdge {
  readonly from: string
  readonly to: string
  readonly path: string
}

export interface Drawing {
  readonly steps: readonly DrawnStep[]
  readonly edges: readonly DrawnEdge[]
  readonly width: number
  readonly height: number
}

/** A step, or a place where an edge passes a layer. */
interface Spot {
  readonly layer: number
  readonly step: number
  readonly before: Spot[]
  readonly after: Spot[]
  place: number
  y: number
}

export function layOut(graph: PlanGraph): Drawing {
  const layers = layersOf(graph)
  const columns: Spot[][] = Array.from({ length: Math.max(0, ...layers) + 1 }, () => [])
  const put = (layer: number, step: number): Spot => {
    const spot: Spot = { layer, step, before: [], after: [], place: 0, y: 0 }
    columns[layer]?.push(spot)
    return spot
  }
  const spots = graph.steps.map((_step, index) => put(layers[index] ?? 0, index))
  const ways: (readonly Spot[])[] = []
  graph.dependencies.forEach((needed, to) => {
    for (const from of needed) {
      const way = wayOf(spots[from], spots[to], put)
      if (way.length > 0) ways.push(way)
    }
  })
  order(columns)
  const height = placeColumns(columns)
  const id = (spot: Spot | undefined): string => graph.stepIds[spot?.step ?? -1] ?? ''
  return {
    steps: spots.map((spot) => ({ stepId: id(spot), x: xOf(spot), y: spot.y })),
    edges: ways.map((way) => ({ from: id(way[0]), to: id(way.at(-1)), path: pathOf(way) })),
    width: columns.length * (NODE.width + GAP.x) - GAP.x,
    height,
  }
}

function wayOf(from: Spot | undefined, to: Spot | undefined, put: (layer: number, step: number) => Spot): Spot[] {
  if (from === undefined || to === undefined) return []
  const way = [from]
  for (let layer = from.layer + 1; layer < to.layer; layer += 1) way.push(put(layer, -1))
  way.push(to)
  way.slice(1).forEach((spot, at) => {
    const previous = way[at]
    if (previous === undefined) return
    previous.after.push(spot)
    spot.before.push(previous)
  })
  return way
}

/** Each spot goes to the middle of its neighbours, layer by layer, to and fro. */
function order(columns: readonly Spot[][]): void {
  columns.forEach((column) => column.forEach((spot, at) => (spot.place = at)))
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 0
    for (const column of isForth ? columns : [...columns].reverse()) {
      const wish = new Map(column.map((spot) => [spot, middle(isForth ? spot.before : spot.after) ?? spot.place]))
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0))
      column.forEach((spot, at) => (spot.place = at))
    }
  }
}

function middle(spots: readonly Spot[]): number | undefined {
  return spots.length === 0 ? undefined : spots.reduce((sum, { place }) => sum + place, 0) / spots.length
}

/** Columns are centred beside each other; answers the height of the highest. */
function placeColumns(columns: readonly Spot[][]): number {
  const heightOf = (column: readonly Spot[]): number => column.reduce((sum, spot) => sum + sizeOf(spot) + GAP.y, -GAP.y)
  const height = Math.max(0, ...columns.map(heightOf))
  for (const column of columns) {
    let y = (height - heightOf(column)) / 2
    for (const spot of column) {
      spot.y = y
      y += sizeOf(spot) + GAP.y
    }
  }
  return height
}

function sizeOf({ step }: Spot): number {
  return step < 0 ? PASS_HEIGHT : NODE.height
}

function xOf({ layer }: Spot): number {
  return layer * (NODE.width + GAP.x)
}

function pathOf(way: readonly Spot[]): string {
  const middleOf = (spot: Spot): number => spot.y + sizeOf(spot) / 2
  const [first, ...others] = way
  if (first === undefined) return ''
  let [x, y] = [xOf(first) + NODE.width, middleOf(first)]
  const parts = [`M${x} ${y}`]
  for (const spot of others) {
    const [toX, toY] = [xOf(spot), middleOf(spot)]
    const bend = (toX - x) / 2
    parts.push(`C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`)
    // Past a layer the edge goes straight.
    if (spot.step < 0) parts.push(`H${toX + NODE.width}`)
    ;[x, y] = [spot.step < 0 ? toX + NODE.width : toX, toY]
  }
  return parts.join('')
}
