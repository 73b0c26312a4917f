/**
 * `input.name ?? 'nobody'` as people write it: JMESPath has a function for it, `not_null(input.name, 'nobody')`. It binds
 * weaker than a path and stronger than nothing else: beside another operator it is not clear what is meant, so nothing is
 * changed there and the author is told.
 */
import { CLOSING, OPENING, tokensOf } from './expression-tokens.ts'

const DEFAULT = '??'
const SEPARATORS: ReadonlySet<string> = new Set([',', '|', ':', '?'])
const OTHERS: ReadonlySet<string> = new Set([
  '||',
  '&&',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '−',
  '×',
  '/',
  '÷',
  '//',
  '%',
])

export function withNullDefaults(expression: string): string {
  if (!expression.includes(DEFAULT)) return expression
  const texts = tokensOf(expression).map(({ text }) => text)
  return texts.includes(DEFAULT) ? rewritten(texts) : expression
}

/** Part by part, as commas and the like divide it; what stands in brackets is rewritten on its own. */
function rewritten(texts: readonly string[]): string {
  let written = ''
  let part: string[] = []
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? ''
    if (OPENING.has(text)) {
      const end = closingOf(texts, at)
      part.push(text + rewritten(texts.slice(at + 1, end)) + (texts[end] ?? ''))
      at = end
    } else if (SEPARATORS.has(text)) {
      written += partWritten(part) + text
      part = []
    } else part.push(text)
  }
  return written + partWritten(part)
}

/** The end of the text where it is never closed. */
function closingOf(texts: readonly string[], opening: number): number {
  let depth = 0
  for (let at = opening; at < texts.length; at += 1) {
    const text = texts[at] ?? ''
    if (OPENING.has(text)) depth += 1
    else if (CLOSING.has(text)) depth -= 1
    if (depth === 0) return at
  }
  return texts.length
}

function partWritten(part: readonly string[]): string {
  const whole = part.join('')
  if (!part.includes(DEFAULT) || part.some((text) => OTHERS.has(text))) return whole
  const operands: string[] = ['']
  for (const text of part) {
    if (text === DEFAULT) operands.push('')
    else operands[operands.length - 1] += text
  }
  if (operands.some((operand) => operand.trim() === '')) return whole
  const [, before = '', reference = ''] = /^(\s*)(&?)/.exec(whole) ?? []
  const after = /\s*$/.exec(whole)?.[0] ?? ''
  const given = operands.map((operand, index) =>
    index === 0 ? operand.trim().slice(reference.length) : operand.trim(),
  )
  return `${before}${reference}not_null(${given.join(', ')})${after}`
}
