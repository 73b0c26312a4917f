/**
 * Splits a string of a mapping into literal text and `${…}` expressions. The closing brace is found by JMESPath's own
 * quoting rules, so an expression may contain braces and quotes; `$${` is a literal `${`. Nothing is evaluated here.
 */
import { problem } from '../../problems/problem.ts'
import { ok, refused, type Result } from '../../result.ts'

export type TemplatePart = { readonly literal: string } | { readonly expression: string }

const OPENING = '${'
const ESCAPED_OPENING = '$${'

export function parseTemplate(text: string): Result<readonly TemplatePart[]> {
  const parts: TemplatePart[] = []
  let literal = ''
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar === -1) break
    literal += text.slice(at, dollar)
    if (text.startsWith(ESCAPED_OPENING, dollar)) {
      literal += OPENING
      at = dollar + ESCAPED_OPENING.length
    } else if (text.startsWith(OPENING, dollar)) {
      const start = dollar + OPENING.length
      const end = endOfExpression(text, start)
      if (end === undefined) return unclosed(text, dollar)
      const expression = text.slice(start, end).trim()
      if (expression === '') return refused(problem('EXPR_INVALID_SYNTAX', 'an expression is empty: `${}`'))
      if (literal !== '') parts.push({ literal })
      parts.push({ expression })
      literal = ''
      at = end + 1
    } else {
      literal += '$'
      at = dollar + 1
    }
  }
  literal += text.slice(at)
  if (literal !== '') parts.push({ literal })
  return ok(parts)
}

/** The same text with every expression changed; all around them stays as it is, and so does a text that is not closed. */
export function mapExpressions(text: string, change: (expression: string) => string): string {
  let mapped = ''
  let at = 0
  for (let dollar = text.indexOf('$'); dollar !== -1; dollar = text.indexOf('$', at)) {
    const start = dollar + OPENING.length
    const isOpening = text.startsWith(OPENING, dollar)
    const end = isOpening ? endOfExpression(text, start) : undefined
    if (isOpening && end === undefined) break
    const skipped = text.startsWith(ESCAPED_OPENING, dollar) ? dollar + ESCAPED_OPENING.length : dollar + 1
    mapped +=
      text.slice(at, end === undefined ? skipped : start) + (end === undefined ? '' : change(text.slice(start, end)))
    at = end ?? skipped
  }
  return mapped + text.slice(at)
}

/** The expression of a string that is one whole `${…}`, which keeps its value's type; undefined for any other text. */
export function wholeExpression(parts: readonly TemplatePart[]): string | undefined {
  const [only] = parts
  return parts.length === 1 && only !== undefined && 'expression' in only ? only.expression : undefined
}

function unclosed(text: string, dollar: number): Result<never> {
  const shown = text.slice(dollar, dollar + 40)
  const message = `an expression is opened with \${ but never closed: ${shown}`
  return refused(problem('EXPR_INVALID_SYNTAX', message, { hint: 'write $${ for a literal ${' }))
}

function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"' || char === "'" || char === '`') {
      const close = endOfQuote(text, at + 1, char)
      if (close === undefined) return undefined
      at = close
    } else if (char === '{') depth += 1
    else if (char === '}') {
      if (depth === 0) return at
      depth -= 1
    }
  }
  return undefined
}

function endOfQuote(text: string, start: number, quote: string): number | undefined {
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === quote) return at
  }
  return undefined
}
