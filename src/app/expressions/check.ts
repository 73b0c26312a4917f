/**
 * What an expression may be, decided on its syntax tree before it ever runs: JMESPath without variables of its own, at
 * most ten levels deep, without prototype names, and only over roots and steps that it names individually. That last
 * rule lets the caller load just the step outputs an expression needs, and lets admission check each of them.
 */
import { compile, getRegisteredFunctions } from '@jmespath-community/jmespath'
import { LIMITS } from '../../core/limits.ts'
import { REFUSED_KEYS } from '../../core/plan/plan-limits.ts'
import { firstBareNumber } from '../../core/plan/read/bare-numbers.ts'
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ok, refused, type Result } from '../../core/result.ts'

export const ROOTS = ['input', 'steps', 'context', 'previous', 'item', 'index', 'run', 'step', 'event'] as const
export type RootName = (typeof ROOTS)[number]

export interface ExpressionNeeds {
  readonly roots: readonly RootName[]
  /** Ids of the steps whose outputs are read. */
  readonly steps: readonly string[]
  /** Those of them whose status or error may be read. */
  readonly ends: readonly string[]
}

export type SyntaxTree = ReturnType<typeof compile>

export interface CompiledExpression {
  readonly tree: SyntaxTree
  readonly needs: ExpressionNeeds
}

/** `roots`: over the run's data. `value`: over one value alone, such as the output that a capture transforms. */
export type ExpressionDocument = 'roots' | 'value'

const STEP_FIELDS: readonly string[] = ['output', 'status', 'error']
const RUN_FIELDS: readonly string[] = ['id', 'planId', 'planVersion', 'attempt']
/** Of the step that is compensated. */
const OWN_FIELDS: readonly string[] = ['input', 'output']

/** Functions that take `&expression`, with the position of that argument. */
const EXPRESSION_ARGUMENT: ReadonlyMap<string, number> = new Map([
  ['map', 0],
  ['group_by', 1],
  ['max_by', 1],
  ['min_by', 1],
  ['sort_by', 1],
])
/** Our own: `or_false(&expression)` is the expression's value, or false where it cannot be evaluated. */
export const OR_FALSE = 'or_false'
const FUNCTIONS: ReadonlySet<string> = new Set([...getRegisteredFunctions(), OR_FALSE])

export function compileExpression(expression: string, document: ExpressionDocument): Result<CompiledExpression> {
  if (expression.length > LIMITS.expressionChars) {
    const message = `An expression may have ${LIMITS.expressionChars} characters; this one has ${expression.length}.`
    return refused(problem('EXPR_TOO_COMPLEX', message))
  }
  const checker = new Checker(expression, document)
  try {
    const tree = compile(expression)
    checker.checkWhole(tree)
    const [first] = checker.problems
    return first === undefined ? ok({ tree, needs: checker.needs() }) : refused(first)
  } catch (thrown) {
    return refused(syntaxProblem(expression, thrown))
  }
}

function syntaxProblem(expression: string, thrown: unknown): Problem {
  if (thrown instanceof RangeError)
    return problem('EXPR_TOO_COMPLEX', `The expression is nested too deeply: ${shown(expression)}`)
  // At the end of the tokens the parser fails with its own TypeError.
  const reason = thrown instanceof Error && !(thrown instanceof TypeError) ? thrown.message : 'it ends too early'
  const number = firstBareNumber(expression)
  const hint = expression.includes('??')
    ? { hint: 'put what stands beside `??` in brackets: `(input.a ?? input.b) == input.c`' }
    : number === undefined
      ? {}
      : { hint: `write a number between backticks: \`${number}\`` }
  return problem('EXPR_INVALID_SYNTAX', `\`${shown(expression)}\` is not an expression: ${reason}`, hint)
}

/** Words that are values in other languages; here they are names unless they stand between backticks. */
const LITERAL_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

export function shown(expression: string): string {
  return expression.length <= 120 ? expression : `${expression.slice(0, 117)}…`
}

/**
 * What a node stands for: the whole data, the map of all steps, one step, its error, the run's own fields, those of the
 * step that is compensated, or plain data.
 */
type Meaning = 'root' | 'steps' | 'step' | 'error' | 'run' | 'own' | 'data'

class Checker {
  readonly problems: Problem[] = []
  readonly #expression: string
  readonly #document: Meaning
  readonly #roots = new Set<RootName>()
  readonly #steps = new Set<string>()
  /** `(steps.a || steps.b).status` reads one of both: then it is loaded for all that are named. */
  #readsEnds = false

  constructor(expression: string, document: ExpressionDocument) {
    this.#expression = expression
    this.#document = document === 'roots' ? 'root' : 'data'
  }

  needs(): ExpressionNeeds {
    return { roots: [...this.#roots], steps: [...this.#steps], ends: this.#readsEnds ? [...this.#steps] : [] }
  }

  checkWhole(tree: SyntaxTree): void {
    this.#value(tree, this.#document, 1)
  }

  /** A node whose value itself is used: for that the whole data or all steps would have to be loaded. */
  #value(node: SyntaxTree, current: Meaning, depth: number): 'data' {
    const meaning = this.#walk(node, current, depth)
    if (meaning === 'root') this.#refuse("names the whole of the run's data", 'name a root, such as `input.orderId`')
    if (meaning === 'steps') this.#refuse('names all steps at once', 'name each step: `steps.<id>.output`')
    return 'data'
  }

  #walk(node: SyntaxTree, current: Meaning, depth: number): Meaning {
    if (depth > LIMITS.expressionDepth) {
      this.#problem('EXPR_TOO_COMPLEX', `is nested more than ${LIMITS.expressionDepth} levels deep`)
      return 'data'
    }
    switch (node.type) {
      case 'Field':
        return this.#field(node.name, current)
      case 'Identity':
      case 'Current':
        return current
      case 'Root':
        return this.#document
      case 'Subexpression':
      case 'IndexExpression':
        return this.#walk(node.right, this.#base(node.left, current, depth), depth)
      case 'Pipe':
        return this.#walk(node.right, this.#walk(node.left, current, depth), depth)
      case 'OrExpression':
      case 'AndExpression':
        return this.#either([node.left, node.right], current, depth)
      case 'Ternary':
        this.#value(node.condition, current, depth)
        return this.#either([node.trueExpr, node.falseExpr], current, depth)
      case 'Literal':
        return this.#literal(node.value)
      case 'Index':
      case 'Slice':
        return 'data'
      case 'MultiSelectHash':
        for (const pair of node.children) this.#name(pair.name)
        return this.#values(
          node.children.map(({ value }) => value),
          current,
          depth + 1,
        )
      case 'Function':
        return this.#call(node.name, node.children, current, depth)
      case 'ExpressionReference':
        return this.#refuse('uses `&` where no function asks for an expression')
      case 'LetExpression':
      case 'Binding':
      case 'Variable':
        return this.#refuse('has variables of its own (`let`, `$name`)', 'write the path itself in each place')
      default:
        return this.#operation(node, current, depth)
    }
  }

  /** Nodes whose parts are all used as values. */
  #operation(node: SyntaxTree, current: Meaning, depth: number): 'data' {
    switch (node.type) {
      case 'FilterProjection':
        this.#value(node.left, current, depth)
        return this.#values([node.condition, node.right], 'data', depth + 1)
      case 'Projection':
      case 'ValueProjection':
        this.#value(node.left, current, depth)
        return this.#value(node.right, 'data', depth + 1)
      case 'Comparator':
      case 'Arithmetic':
        this.#value(node.left, current, depth)
        return this.#value(node.right, current, depth + 1)
      case 'Flatten':
        return this.#value(node.child, current, depth)
      case 'NotExpression':
        return this.#value(node.child, current, depth + 1)
      case 'Unary':
        return this.#value(node.operand, current, depth + 1)
      case 'MultiSelectList':
        return this.#values(node.children, current, depth + 1)
      default:
        return this.#refuse(`has a part of an unknown kind, ${node.type}`)
    }
  }

  #values(nodes: readonly SyntaxTree[], current: Meaning, depth: number): 'data' {
    for (const node of nodes) this.#value(node, current, depth)
    return 'data'
  }

  /** The start of a path. `!a.b` is `(!a).b` in JMESPath, always null: a condition that could never be true. */
  #base(node: SyntaxTree, current: Meaning, depth: number): Meaning {
    if (node.type !== 'NotExpression') return this.#walk(node, current, depth)
    return this.#refuse('negates only the first name of a path', 'put the path in brackets: `!(input.flag)`')
  }

  #field(name: string, current: Meaning): Meaning {
    this.#name(name)
    if (current === 'steps') {
      this.#steps.add(name)
      return 'step'
    }
    if (current === 'step') return this.#ofStep(name)
    if (current === 'error' && name !== 'code') this.#noField(name, 'the error of a step', ['code'])
    if (current === 'run' && !RUN_FIELDS.includes(name)) this.#noField(name, 'the run', RUN_FIELDS)
    if (current === 'own' && !OWN_FIELDS.includes(name)) this.#noField(name, 'the step', OWN_FIELDS)
    if (current !== 'root') return 'data'
    const root = ROOTS.find((known) => known === name)
    if (root === undefined) {
      this.#problem(
        'EXPR_ROOT_UNKNOWN',
        `begins with \`${name}\`, which is not one of ${ROOTS.join(', ')}`,
        LITERAL_WORDS.has(name) ? `write it between backticks: \`${name}\`` : this.#quoteHint(name),
      )
      return 'data'
    }
    this.#roots.add(root)
    if (root === 'step') return 'own'
    return root === 'steps' || root === 'run' ? root : 'data'
  }

  #ofStep(name: string): Meaning {
    if (!STEP_FIELDS.includes(name)) this.#noField(name, 'a step', STEP_FIELDS)
    if (name === 'output') return 'data'
    this.#readsEnds = true
    return name === 'error' ? 'error' : 'data'
  }

  #literal(value: unknown): 'data' {
    if (JSON.stringify(value).length > LIMITS.expressionLiteralChars + 2) {
      this.#problem('EXPR_TOO_COMPLEX', `has a literal of more than ${LIMITS.expressionLiteralChars} characters`)
    }
    return 'data'
  }

  #noField(name: string, owner: string, fields: readonly string[]): void {
    this.#problem('EXPR_PATH_NOT_FOUND', `reads \`${name}\` of ${owner}, which has only ${fields.join(', ')}`)
  }

  #call(name: string, children: readonly SyntaxTree[], current: Meaning, depth: number): Meaning {
    if (!FUNCTIONS.has(name)) this.#refuse(`calls \`${name}()\`, which does not exist`)
    if (name === OR_FALSE) return this.#orFalse(children, current, depth)
    const place = EXPRESSION_ARGUMENT.get(name)
    children.forEach((child, index) => {
      if (index !== place) this.#value(child, current, depth + 1)
      else if (child.type === 'ExpressionReference') this.#value(child.child, 'data', depth + 1)
      // Without this check an outside value that looks like a syntax tree would be run as one.
      else this.#refuse(`calls \`${name}()\` without \`&\` before its expression`)
    })
    return 'data'
  }

  /** Its expression is about the same data as the call. */
  #orFalse([only, ...more]: readonly SyntaxTree[], current: Meaning, depth: number): 'data' {
    if (only?.type === 'ExpressionReference' && more.length === 0) return this.#value(only.child, current, depth + 1)
    return this.#refuse(`calls \`${OR_FALSE}()\` without one expression`, `write ${OR_FALSE}(&…)`)
  }

  /** One or the other: the meaning is known only if both are the same. */
  #either([first, second]: readonly [SyntaxTree, SyntaxTree], current: Meaning, depth: number): Meaning {
    const meanings = [this.#walk(first, current, depth), this.#walk(second, current, depth + 1)] as const
    if (meanings[0] === meanings[1]) return meanings[0]
    if (meanings.includes('root') || meanings.includes('steps')) this.#refuse('mixes the whole data with a part of it')
    return 'data'
  }

  #name(name: string): void {
    if (REFUSED_KEYS.has(name)) this.#refuse(`uses the name \`${name}\`, which is not allowed`)
  }

  #quoteHint(name: string): string | undefined {
    if (this.#expression.includes(JSON.stringify(name))) return `write a text between single quotes: '${name}'`
    const match = /steps\.([A-Za-z0-9_]+-[A-Za-z0-9_.-]*)/.exec(this.#expression)
    return match === null ? undefined : `quote an id that has a hyphen: steps."${match[1]?.split('.')[0]}".output`
  }

  #refuse(what: string, hint?: string): 'data' {
    this.#problem('EXPR_INVALID_SYNTAX', what, hint)
    return 'data'
  }

  #problem(code: Problem['code'], what: string, hint?: string): void {
    const message = `The expression \`${shown(this.#expression)}\` ${what}.`
    this.problems.push(problem(code, message, hint === undefined ? {} : { hint }))
  }
}
