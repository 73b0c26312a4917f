/**
 * Where the cells of a graph are drawn: layers from left to right as the core counts them, each layer in an order that keeps edges
 * short. An edge over several layers gets a place in each, so that it passes between cells and not behind them.
 */
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Cell } from './fold-steps.ts'

export const NODE = { width: 156, height: 46 } as const
const GAP = { x: 34, y: 18 } as const
const PASS_HEIGHT = 14
const SWEEPS = 6
/** In a graph of many cells an edge over many layers is drawn straight: places for it would be more than the cells. */
const MANY = 600
const MOST_PASSES = 4

export interface DrawnCell extends Cell {
  readonly x: number
  readonly y: number
}

export interface DrawnEdge {
  /** Numbers of cells. */
  readonly from: number
  readonly to: number
  readonly path: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface Drawing {
  readonly cells: readonly DrawnCell[]
  readonly edges: readonly DrawnEdge[]
  readonly width: number
  readonly height: number
}

/** A cell, or a place where an edge passes a layer. */
interface Spot {
  readonly layer: number
  /** -1: a place to pass. */
  readonly cell: number
  readonly before: Spot[]
  readonly after: Spot[]
  place: number
  y: number
}

export function layOut(graph: PlanGraph, cells: readonly Cell[]): Drawing {
  const layers = [...new Set(cells.map(({ layer }) => layer))].sort((a, b) => a - b)
  const columnOf = new Map(layers.map((layer, at) => [layer, at]))
  const columns: Spot[][] = layers.map(() => [])
  const put = (layer: number, cell: number): Spot => {
    const spot: Spot = { layer, cell, before: [], after: [], place: 0, y: 0 }
    columns[layer]?.push(spot)
    return spot
  }
  const spots = cells.map(({ layer }, index) => put(columnOf.get(layer) ?? 0, index))
  const most = cells.length > MANY ? MOST_PASSES : Infinity
  const ways = pairsOf(graph, cells).flatMap(([from, to]) => {
    const way = wayOf(spots[from], spots[to], put, most)
    return way.length === 0 ? [] : [way]
  })
  order(columns)
  const height = placeColumns(columns)
  return {
    cells: spots.map((spot, index) => ({ ...(cells[index] as Cell), x: xOf(spot), y: spot.y })),
    edges: ways.map(edgeOf),
    width: Math.max(0, columns.length * (NODE.width + GAP.x) - GAP.x),
    height,
  }
}

/** Which cells an edge of the plan joins, each pair once. */
function pairsOf(graph: PlanGraph, cells: readonly Cell[]): readonly (readonly [from: number, to: number])[] {
  const cellOf: number[] = []
  cells.forEach(({ steps }, index) => {
    for (const step of steps) cellOf[step] = index
  })
  const pairs = new Map<number, readonly [number, number]>()
  graph.dependencies.forEach((needed, step) => {
    const to = cellOf[step] ?? -1
    for (const dependency of needed) {
      const from = cellOf[dependency] ?? -1
      if (from !== to && from >= 0 && to >= 0) pairs.set(from * cells.length + to, [from, to])
    }
  })
  return [...pairs.values()]
}

function edgeOf(way: readonly Spot[]): DrawnEdge {
  const ys = way.map((spot) => spot.y)
  const [first, last] = [way[0], way.at(-1)]
  return {
    from: first?.cell ?? 0,
    to: last?.cell ?? 0,
    path: pathOf(way),
    left: first === undefined ? 0 : xOf(first) + NODE.width,
    right: last === undefined ? 0 : xOf(last),
    top: Math.min(...ys),
    bottom: Math.max(...ys) + NODE.height,
  }
}

function wayOf(
  from: Spot | undefined,
  to: Spot | undefined,
  put: (layer: number, cell: number) => Spot,
  mostPasses: number,
): Spot[] {
  // Within one part of the plan an edge may lead back; it is seen when the part is open.
  if (from === undefined || to === undefined || from.layer >= to.layer) return []
  const way = [from]
  const last = to.layer - from.layer - 1 <= mostPasses ? to.layer : from.layer
  for (let layer = from.layer + 1; layer < last; layer += 1) way.push(put(layer, -1))
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

function sizeOf({ cell }: Spot): number {
  return cell < 0 ? PASS_HEIGHT : NODE.height
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
    if (spot.cell < 0) parts.push(`H${toX + NODE.width}`)
    ;[x, y] = [spot.cell < 0 ? toX + NODE.width : toX, toY]
  }
  return parts.join('')
}
