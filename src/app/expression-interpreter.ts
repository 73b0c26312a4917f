/**
 * The JMESPath library's interpreter inside fences: it reads own properties only, does a bounded amount of work, and
 * builds texts of bounded size, so that no expression of a stranger can hang or fill a process (DFL-09).
 */
import { TreeInterpreter, type JSONArray, type JSONObject, type JSONValue } from '@jmespath-community/jmespath'
import { LIMITS } from '../core/limits.ts'
import type { SyntaxTree } from './expression-check.ts'
import { REPLACEMENTS, type Argument } from './expression-functions.ts'
import { jsonBytes } from './json-bytes.ts'

/** Long texts are cheap to pass on; they cost work by the piece. */
const CHARS_PER_WORK = 16

export class ExpressionLimit extends Error {}

type Visited = JSONValue | SyntaxTree

// The library exports an instance; its class is what a fence has to extend.
const Interpreter = TreeInterpreter.constructor as new () => typeof TreeInterpreter

export class FencedInterpreter extends Interpreter {
  #work = 0

  constructor() {
    super()
    for (const [name, { signature, call }] of Object.entries(REPLACEMENTS)) {
      const visit = (tree: Argument, element: JSONValue): JSONValue =>
        this.visit(tree as SyntaxTree, element) as JSONValue
      this.runtime.registerFunction(name, (args) => call(args, visit), signature, { override: true })
    }
  }

  override visit(node: SyntaxTree, value: Visited): ReturnType<typeof TreeInterpreter.visit> {
    this.#spend(1)
    switch (node.type) {
      case 'Field':
        return ownField(value, node.name)
      case 'Flatten':
        return this.#flatten(this.visit(node.child, value))
      case 'Comparator':
        if (node.name !== 'EQ' && node.name !== 'NE') return super.visit(node, value)
        return this.#equal(this.visit(node.left, value), this.visit(node.right, value)) === (node.name === 'EQ')
      case 'IndexExpression': {
        const base = this.visit(node.left, value)
        if (node.right.type === 'Slice') this.#spend(sizeOf(base))
        return super.visit(node.right, base)
      }
      case 'Function':
        return this.#call(
          node.name,
          node.children.map((child) => this.visit(child, value)),
        )
      default:
        return super.visit(node, value)
    }
  }

  #spend(work: number): void {
    this.#work += work
    if (this.#work > LIMITS.expressionWork)
      throw new ExpressionLimit(`it takes more work than ${LIMITS.expressionWork} steps`)
  }

  #call(name: string, args: Visited[]): JSONValue {
    for (const arg of args) this.#spend(sizeOf(arg))
    limitText(name, args)
    const result = this.runtime.callFunction(name, args)
    if (typeof result === 'string') limitBytes(Buffer.byteLength(result))
    else this.#spend(sizeOf(result))
    return result
  }

  #flatten(base: Visited): JSONValue {
    if (!Array.isArray(base)) return null
    for (const element of base) this.#spend(sizeOf(element))
    return base.flat() as JSONArray
  }

  #equal(first: unknown, second: unknown): boolean {
    this.#spend(1)
    if (first === second) return true
    if (Array.isArray(first)) {
      return (
        Array.isArray(second) &&
        first.length === second.length &&
        first.every((element, index) => this.#equal(element, second[index]))
      )
    }
    if (!isObject(first) || !isObject(second)) return false
    const names = Object.keys(first)
    return (
      names.length === Object.keys(second).length &&
      names.every((name) => Object.hasOwn(second, name) && this.#equal(first[name], second[name]))
    )
  }
}

function ownField(value: Visited, name: string): JSONValue {
  if (!isObject(value) || !Object.hasOwn(value, name)) return null
  return value[name] ?? null
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / CHARS_PER_WORK)
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 1
}

/** Stops the functions that can build a text much larger than their arguments before they do. */
function limitText(name: string, args: readonly Visited[]): void {
  const [first, second, third] = args
  if (name === 'to_string') jsonSize(first)
  if (name === 'join' && typeof first === 'string' && Array.isArray(second)) {
    limitBytes(
      second.reduce<number>((sum, part) => sum + first.length + (typeof part === 'string' ? part.length : 0), 0),
    )
  }
  if ((name === 'pad_left' || name === 'pad_right') && typeof second === 'number') limitBytes(second)
  if (name === 'replace' && typeof first === 'string' && typeof second === 'string' && typeof third === 'string') {
    const found = second === '' ? 0 : first.split(second).length - 1
    limitBytes(first.length + found * Math.max(0, third.length - second.length))
  }
}

function jsonSize(value: unknown): void {
  if (jsonBytes(value, LIMITS.expandedTextBytes) === undefined) limitBytes(Infinity)
}

function limitBytes(bytes: number): void {
  if (bytes > LIMITS.expandedTextBytes)
    throw new ExpressionLimit(`it builds a text of more than ${LIMITS.expandedTextBytes} bytes`)
}
