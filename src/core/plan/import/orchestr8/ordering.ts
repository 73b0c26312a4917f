/**
 * What is smaller, as the library of orchestr8 finds it: there texts have an order too, and what is missing counts as 0. In a
 * plan only numbers have one, so such a comparison is written with what a plan has.
 */
import { LIMITS } from '../../../limits.ts'
import { CLOSING, OPENING, tokensOf, type Token } from '../../read/expression-tokens.ts'

const ORDERING: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])
/** A comparison stands between two of these; they bind less. */
const BETWEEN: ReadonlySet<string> = new Set(['&&', '||', '|', ',', ':', '?', '&'])

/** A longer condition is refused by the plan. */
export function orderedThere(condition: string): string {
  return condition.length > LIMITS.expressionChars ? condition : parts(tokensOf(condition))
}

function parts(tokens: readonly Token[]): string {
  if (tokens.length === 0) return ''
  let made = ''
  let part: Token[] = []
  for (const { token, isOutside } of nested(tokens)) {
    if (isOutside && BETWEEN.has(token.text)) {
      made += compared(part) + token.text
      part = []
    } else part.push(token)
  }
  return made + compared(part)
}

interface Nested {
  readonly token: Token
  /** In no bracket that these tokens open. */
  readonly isOutside: boolean
}

function nested(tokens: readonly Token[]): readonly Nested[] {
  let depth = 0
  return tokens.map((token) => {
    if (CLOSING.has(token.text)) depth -= 1
    const isOutside = depth === 0
    if (OPENING.has(token.text)) depth += 1
    return { token, isOutside }
  })
}

function compared(tokens: readonly Token[]): string {
  const at = nested(tokens).findIndex(({ token, isOutside }) => isOutside && ORDERING.has(token.text))
  const operator = tokens[at]?.text
  if (operator === undefined) return inBrackets(tokens)
  const before = inBrackets(tokens.slice(0, at))
  const after = inBrackets(tokens.slice(at + 1))
  const [space = '', left, right] = [/^\s*/.exec(before)?.[0], before.trim(), after.trim()]
  const text = isNumber(left) || isNumber(right) ? numbers(left, operator, right) : ordered(left, operator, right)
  return space + text + (/\s*$/.exec(after)?.[0] ?? '')
}

/** Comparisons inside filters, calls and lists. */
function inBrackets(tokens: readonly Token[]): string {
  let made = ''
  let inside: Token[] = []
  for (const { token, isOutside } of nested(tokens)) {
    if (!isOutside) inside.push(token)
    else {
      made += parts(inside) + token.text
      inside = []
    }
  }
  return made + parts(inside)
}

const isNumber = (text: string): boolean => /^`\s*-?\d[\d.eE+-]*\s*`$/.test(text)
const isLiteral = (text: string): boolean => /^[`']/.test(text)

/** What is missing is written as 0 only where that makes a difference. */
function numbers(left: string, operator: string, right: string): string {
  if (isLiteral(left) && isLiteral(right)) return `${left} ${operator} ${right}`
  const [first, second] = [left, right].map((text) => (isNumber(text) ? Number(text.slice(1, -1)) : 0))
  const holds = isOrdered(first ?? 0, operator, second ?? 0)
  const [one, other] = holds ? [orZero(left), orZero(right)] : [left, right]
  return `${one} ${operator} ${other}`
}

function isOrdered(left: number, operator: string, right: number): boolean {
  if (left === right) return operator.endsWith('=')
  return operator.startsWith('<') === left < right
}

/** Two texts or two numbers; nothing else has an order. */
function ordered(left: string, operator: string, right: string): string {
  const [first, second] = [orZero(left), orZero(right)]
  const [less, more] = operator.startsWith('<') ? [first, second] : [second, first]
  const unequal = operator.endsWith('=') ? '' : ` && ${less} != ${more}`
  return `or_false(&(sort([${less}, ${more}])[0] == ${less}${unequal}))`
}

function orZero(text: string): string {
  return isLiteral(text) || text.startsWith('length(') ? text : `not_null(${text}, \`0\`)`
}
