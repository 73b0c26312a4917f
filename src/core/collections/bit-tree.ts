/**
 * A persistent set of small integers with a cheap "smallest member". It keeps what is ready and what is in flight, in
 * dispatch order. Few members are a sorted list, whatever the plan's size; many are a tree of 32-bit words, in which
 * each inner word marks the children that are not empty.
 */
const BITS = 5
const MASK = 31
/** A list becomes a tree above the first limit and a list again at the second; the distance avoids frequent changes. */
const FEW_MAX = 32
const FEW_AGAIN = 8

type Node = { readonly word: number; readonly children?: readonly (Node | undefined)[] }

export interface BitTree {
  readonly depth: number
  readonly size: number
  /** The members in order while there are few; then `root` is empty. */
  readonly few: readonly number[] | undefined
  readonly root: Node
}

const EMPTY: Node = Object.freeze({ word: 0 })
const NOBODY: readonly number[] = Object.freeze([])

export function bitTree(capacity: number): BitTree {
  let depth = 0
  for (let room = 32; room < capacity; room *= 32) depth += 1
  return { depth, size: 0, few: NOBODY, root: EMPTY }
}

export function bitHas(tree: BitTree, index: number): boolean {
  if (tree.few !== undefined) return tree.few.includes(index)
  let node = tree.root
  for (let shift = tree.depth * BITS; shift > 0; shift -= BITS) {
    const child = node.children?.[(index >>> shift) & MASK]
    if (child === undefined) return false
    node = child
  }
  return (node.word & (1 << (index & MASK))) !== 0
}

export function bitAdd(tree: BitTree, index: number): BitTree {
  if (bitHas(tree, index)) return tree
  const { depth, few } = tree
  const size = tree.size + 1
  if (few !== undefined && size <= FEW_MAX) return { depth, size, few: inserted(few, index), root: EMPTY }
  const root = few === undefined ? tree.root : few.reduce((node, member) => put(node, depth * BITS, member), EMPTY)
  return { depth, size, few: undefined, root: put(root, depth * BITS, index) }
}

function inserted(few: readonly number[], index: number): readonly number[] {
  let at = few.length
  while (at > 0 && (few[at - 1] ?? 0) > index) at -= 1
  const copy = few.slice()
  copy.splice(at, 0, index)
  return copy
}

export function bitRemove(tree: BitTree, index: number): BitTree {
  if (!bitHas(tree, index)) return tree
  const { depth, few } = tree
  const size = tree.size - 1
  if (few !== undefined) return { depth, size, few: few.filter((member) => member !== index), root: EMPTY }
  const left: BitTree = { depth, size, few: undefined, root: take(tree.root, depth * BITS, index) }
  return size > FEW_AGAIN ? left : { depth, size, few: [...bitMembers(left)], root: EMPTY }
}

/** The same set with room for larger members. */
export function bitGrow(tree: BitTree, capacity: number): BitTree {
  let { depth, root } = tree
  for (let room = 32 ** (depth + 1); room < capacity; room *= 32) {
    root = root.word === 0 ? EMPTY : { word: 1, children: [root] }
    depth += 1
  }
  return { depth, size: tree.size, few: tree.few, root }
}

/** The smallest member not below `from`, or -1. */
export function bitNext(tree: BitTree, from = 0): number {
  if (tree.few === undefined) return next(tree.root, tree.depth * BITS, from, 0)
  for (const member of tree.few) if (member >= from) return member
  return -1
}

/** All members in ascending order. */
export function* bitMembers(tree: BitTree): Generator<number> {
  for (let at = bitNext(tree); at >= 0; at = bitNext(tree, at + 1)) yield at
}

/** The set {0 … count-1}. */
export function bitRange(count: number): BitTree {
  const tree = bitTree(count)
  if (count <= FEW_MAX) return { ...tree, size: count, few: Array.from({ length: count }, (_, member) => member) }
  return { ...tree, size: count, few: undefined, root: fill(tree.depth * BITS, count) }
}

function fill(shift: number, count: number): Node {
  if (shift === 0) return { word: count >= 32 ? -1 : (1 << count) - 1 }
  const each = 1 << shift
  const children: Node[] = []
  let word = 0
  for (let at = 0; at < 32 && at * each < count; at += 1) {
    children.push(fill(shift - BITS, Math.min(each, count - at * each)))
    word |= 1 << at
  }
  return { word, children }
}

function put(node: Node, shift: number, index: number): Node {
  const at = (index >>> shift) & MASK
  const word = node.word | (1 << at)
  if (shift === 0) return { word }
  const children = node.children === undefined ? [] : node.children.slice()
  for (let gap = children.length; gap < at; gap += 1) children.push(undefined)
  children[at] = put(children[at] ?? EMPTY, shift - BITS, index)
  return { word, children }
}

function take(node: Node, shift: number, index: number): Node {
  const at = (index >>> shift) & MASK
  if (shift === 0) return { word: node.word & ~(1 << at) }
  const children = (node.children ?? []).slice()
  const child = take(children[at] ?? EMPTY, shift - BITS, index)
  children[at] = child.word === 0 ? undefined : child
  return { word: child.word === 0 ? node.word & ~(1 << at) : node.word, children }
}

function next(node: Node, shift: number, from: number, base: number): number {
  let at = Math.max(0, (from - base) >> shift)
  if (at > MASK) return -1
  for (let word = node.word & (-1 << at); word !== 0; word = at > MASK ? 0 : node.word & (-1 << at)) {
    at = 31 - Math.clz32(word & -word)
    if (shift === 0) return base + at
    const child = node.children?.[at]
    const found = child === undefined ? -1 : next(child, shift - BITS, from, base + (at << shift))
    if (found >= 0) return found
    at += 1
  }
  return -1
}
