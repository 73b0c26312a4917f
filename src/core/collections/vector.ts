/**
 * A persistent vector: `set` copies one path of 16-wide nodes and leaves every earlier version unchanged. Positions
 * never written read as undefined, so a fan-out of 100,000 items costs nothing until its items change.
 */
const BITS = 4
const WIDTH = 1 << BITS
const MASK = WIDTH - 1

type Node<T> = readonly (Node<T> | T | undefined)[]

export interface Vector<T> {
  readonly length: number
  readonly depth: number
  readonly root: Node<T>
}

const EMPTY_NODE: Node<never> = Object.freeze([])

export function vectorOf<T>(length: number): Vector<T> {
  return { length, depth: depthFor(length), root: EMPTY_NODE }
}

function depthFor(length: number): number {
  let depth = 0
  for (let capacity = WIDTH; capacity < length; capacity *= WIDTH) depth += 1
  return depth
}

export function vectorGet<T>(vector: Vector<T>, index: number): T | undefined {
  let node: Node<T> = vector.root
  for (let shift = vector.depth * BITS; shift > 0; shift -= BITS) {
    const next = node[(index >>> shift) & MASK]
    if (next === undefined) return undefined
    node = next as Node<T>
  }
  return node[index & MASK] as T | undefined
}

export function vectorSet<T>(vector: Vector<T>, index: number, value: T): Vector<T> {
  return {
    length: vector.length,
    depth: vector.depth,
    root: setIn(vector.root, vector.depth * BITS, index, value),
  }
}

function setIn<T>(node: Node<T>, shift: number, index: number, value: T): Node<T> {
  const copy = node.slice()
  const at = (index >>> shift) & MASK
  for (let fill = copy.length; fill < at; fill += 1) copy.push(undefined)
  if (shift === 0) {
    copy[at] = value
    return copy
  }
  const child = (copy[at] ?? EMPTY_NODE) as Node<T>
  copy[at] = setIn(child, shift - BITS, index, value)
  return copy
}

/** The same vector with room for more; existing elements keep their positions. */
export function vectorGrow<T>(vector: Vector<T>, length: number): Vector<T> {
  let { depth, root } = vector
  for (const wanted = depthFor(length); depth < wanted; depth += 1) root = root.length === 0 ? root : [root]
  return { length, depth, root }
}
