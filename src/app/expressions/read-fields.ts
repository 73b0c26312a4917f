/**
 * Which fields of a root an expression reads, as far as its syntax tells: `input.order.id` reads `order` of `input`. Where the
 * tree does not show it, such as in `input | order`, it reads all of it: rather too much than too little.
 */
import { compileExpression, type RootName, type SyntaxTree } from './check.ts'

export type FieldsRead = ReadonlySet<string> | 'all'

export function fieldsRead(expression: string, root: RootName): FieldsRead {
  const compiled = compileExpression(expression, 'roots')
  if (!compiled.ok) return 'all'
  const fields = new Set<string>()
  return collect(compiled.value.tree, { root, fields, isRoots: true }) ? fields : 'all'
}

interface Reading {
  readonly root: RootName
  readonly fields: Set<string>
  /** Names mean roots here, and not fields of some value. */
  readonly isRoots: boolean
}

/** False when a part reads the root as a whole. */
function collect(node: unknown, reading: Reading): boolean {
  if (Array.isArray(node)) return node.every((one) => collect(one, reading))
  if (!isNode(node)) return true
  if (isRoot(node, reading)) return false
  const within = { ...reading, isRoots: false }
  switch (node.type) {
    case 'Subexpression':
      if (isRoot(node.left, reading)) return field(node.right, within)
      return collect(node.left, reading) && collect(node.right, { ...reading, isRoots: isWhole(node.left, reading) })
    case 'Pipe':
    case 'IndexExpression':
      return collect(node.left, reading) && collect(node.right, { ...reading, isRoots: isWhole(node.left, reading) })
    case 'Projection':
    case 'ValueProjection':
      return collect(node.left, reading) && collect(node.right, within)
    case 'FilterProjection':
      return collect(node.left, reading) && collect([node.condition, node.right], within)
    case 'ExpressionReference':
      return collect(node.child, within)
    default:
      return Object.values(node).every((part) => collect(part, reading))
  }
}

/** A condition further on may read the root once more, as `$.input`. */
function field(node: SyntaxTree, within: Reading): boolean {
  const name = firstField(node)
  if (name === undefined) return false
  within.fields.add(name)
  return collect(node, within)
}

/** The value before the dot is still the whole of the data. */
function isWhole({ type }: SyntaxTree, { isRoots }: Reading): boolean {
  return type === 'Root' || ((type === 'Current' || type === 'Identity') && isRoots)
}

function isNode(value: unknown): value is SyntaxTree {
  return typeof value === 'object' && value !== null
}

/** `input`, and `$.input` or `@.input`. */
function isRoot(node: SyntaxTree, reading: Reading): boolean {
  if (node.type === 'Field') return reading.isRoots && node.name === reading.root
  if (node.type !== 'Subexpression' || !isWhole(node.left, reading)) return false
  return node.right.type === 'Field' && node.right.name === reading.root
}

function firstField(node: SyntaxTree): string | undefined {
  switch (node.type) {
    case 'Field':
      return node.name
    case 'Subexpression':
    case 'IndexExpression':
    case 'Projection':
    case 'FilterProjection':
    case 'ValueProjection':
      return firstField(node.left)
    case 'Flatten':
      return firstField(node.child)
    default:
      return undefined
  }
}
