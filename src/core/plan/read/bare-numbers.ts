/**
 * `length(items) > 3` as people write it: JMESPath wants its numbers between backticks, so a number that can be nothing
 * else gets them. In an index or a slice it stays as it is, and so does every expression that JMESPath takes already;
 * where it is not clear what is meant, nothing is changed and the author is told.
 */
import { CLOSING, tokensOf, type Token } from './expression-tokens.ts'

const JSON_NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const OPERATORS: ReadonlySet<string> = new Set([
  '==',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '+',
  '-',
  '−',
  '*',
  '×',
  '/',
  '÷',
  '//',
  '%',
  '&&',
  '||',
  '?',
  '??',
])
const MINUS: ReadonlySet<string> = new Set(['-', '−'])
export function withNumberLiterals(expression: string): string {
  if (!/\d/.test(expression)) return expression
  const tokens = tokensOf(expression)
  const words = tokens.flatMap(({ text }, index) => (text.trim() === '' ? [] : [index]))
  const written = tokens.map(({ text }) => text)
  words.forEach((index, at) => {
    const { text, inside } = tokens[index] ?? { text: '', inside: '' }
    if (!JSON_NUMBER.test(text)) return
    const word = (offset: number): string => tokens[words[at + offset] ?? -1]?.text ?? ''
    const before = word(-1)
    // `> -3` is a negative number; `a - 3` takes three away.
    const isNegative = MINUS.has(before) && !isValue(word(-2)) && words[at - 1] === index - 1
    if (!mayPrecede(isNegative ? word(-2) : before, inside) || !mayFollow(word(1), inside)) return
    written[index] = isNegative ? `\`-${text}\`` : `\`${text}\``
    if (isNegative) written[index - 1] = ''
  })
  return written.join('')
}

/** Something that has a value by itself: a name, a text, a literal, a number, or what a bracket closes. */
function isValue(text: string): boolean {
  return /^[\w"'`$@]/.test(text) || CLOSING.has(text)
}

function mayPrecede(text: string, inside: string): boolean {
  if (text === '' || OPERATORS.has(text)) return true
  if (text === ':') return inside !== '['
  return inside === '(' && (text === '(' || text === ',')
}

function mayFollow(text: string, inside: string): boolean {
  if (text === '' || CLOSING.has(text) || OPERATORS.has(text)) return true
  if (text === ':') return inside !== '['
  return text === ',' && inside !== '['
}

/** The first number that is neither an index nor part of a slice, for a hint; undefined when there is none. */
export function firstBareNumber(expression: string): string | undefined {
  const words = tokensOf(expression).filter(({ text }) => text.trim() !== '')
  const isIndex = ({ inside }: Token, before: string): boolean => inside === '[' && ['[', ':', '-'].includes(before)
  return words.find((token, at) => JSON_NUMBER.test(token.text) && !isIndex(token, words[at - 1]?.text ?? ''))?.text
}
