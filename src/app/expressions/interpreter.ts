/**
 * The JMESPath library's interpreter with limits: it reads own properties only, does a bounded amount of work, and
 * builds texts of bounded size, so that no untrusted expression can block a process or fill its memory (DFL-09).
 */
import { TreeInterpreter, type JSONArray, type JSONObject, type JSONValue } from '@jmespath-community/jmespath'
import { ExpressionLimit, type ExpressionBudget } from './budget.ts'
import { OR_FALSE, type SyntaxTree } from './check.ts'
import { chargeCall, chargeKeys, chargeResult, sizeOf } from './costs.ts'
import { REPLACEMENTS, type Argument } from './functions.ts'

type Visited = JSONValue | SyntaxTree

// The library exports only an instance; we extend its class.
const Interpreter = TreeInterpreter.constructor as new () => typeof TreeInterpreter

export class FencedInterpreter extends Interpreter {
  readonly #budget: ExpressionBudget

  constructor(budget: ExpressionBudget) {
    super()
    this.#budget = budget
    const visit = (tree: Argument, element: JSONValue): JSONValue =>
      this.visit(tree as SyntaxTree, element) as JSONValue
    const compares = (keys: readonly unknown[]): void => chargeKeys(keys, budget)
    for (const [name, { signature, call }] of Object.entries(REPLACEMENTS)) {
      this.runtime.registerFunction(name, (args) => call(args, { visit, compares }), signature, { override: true })
    }
  }

  override visit(node: SyntaxTree, value: Visited): ReturnType<typeof TreeInterpreter.visit> {
    this.#budget.spend(1)
    switch (node.type) {
      case 'Field':
        return ownField(value, node.name)
      case 'Flatten':
        return this.#flatten(this.visit(node.child, value))
      case 'Comparator':
        if (node.name !== 'EQ' && node.name !== 'NE') return super.visit(node, value)
        return this.#equal(this.visit(node.left, value), this.visit(node.right, value)) === (node.name === 'EQ')
      case 'Slice':
        // A text is split into its characters for it.
        this.#budget.spend(typeof value === 'string' ? value.length : sizeOf(value))
        return this.#charged(super.visit(node, value))
      case 'Function':
        if (node.name === OR_FALSE) return this.#orFalse(node.children[0], value)
        return this.#call(
          node.name,
          node.children.map((child) => this.visit(child, value)),
        )
      default:
        return super.visit(node, value)
    }
  }

  /** What is too expensive is no answer: it stays a failure. */
  #orFalse(node: SyntaxTree | undefined, value: Visited): ReturnType<typeof TreeInterpreter.visit> {
    if (node?.type !== 'ExpressionReference') throw new Error('an &expression is needed')
    try {
      return this.visit(node.child, value)
    } catch (thrown) {
      if (thrown instanceof ExpressionLimit || thrown instanceof RangeError) throw thrown
      return false
    }
  }

  #call(name: string, args: Visited[]): JSONValue {
    chargeCall(name, args, this.#budget)
    return this.#charged(this.runtime.callFunction(name, args))
  }

  #charged<T>(result: T): T {
    chargeResult(result, this.#budget)
    return result
  }

  #flatten(base: Visited): JSONValue {
    if (!Array.isArray(base)) return null
    for (const element of base) this.#budget.spend(sizeOf(element))
    return base.flat() as JSONArray
  }

  #equal(first: unknown, second: unknown): boolean {
    this.#budget.spend(typeof first === 'string' ? 1 + sizeOf(first) : 1)
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
    this.#budget.spend(names.length)
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
