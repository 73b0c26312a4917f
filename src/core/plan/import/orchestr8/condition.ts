/**
 * A condition of orchestr8 as one of a plan. Both are JMESPath, over other roots; there a bare word between backticks is a
 * text, and a value counts as JavaScript counts it: 0 is false, an empty list is true.
 */
import { CLOSING, OPENING, tokensOf, type Token } from '../../read/expression-tokens.ts'
import { pathName, quotedText, STATUSES, statusThere, type Names } from './names.ts'

export interface Wrong {
  readonly wrong: string
  readonly todo?: string
}
export type Condition = { readonly text: string } | Wrong

interface Rewriting {
  readonly tokens: readonly Token[]
  readonly names: Names
  readonly refused: Wrong[]
}

export function conditionThere(written: string, names: Names): Condition {
  const tokens = tokensOf(written)
  const refused: Wrong[] = []
  const text = rewritten({ tokens, names, refused }).trim()
  const [first] = refused
  if (first !== undefined) return first
  return { text: isBoolean(tokens) ? text : `!contains([\`null\`, \`false\`, \`0\`, ''], ${text})` }
}

const NAME = /^(?:[A-Za-z_]\w*|"(?:\\.|[^"\\])*")$/

function rewritten(rewriting: Rewriting): string {
  const { tokens, refused } = rewriting
  let made = ''
  for (let at = 0; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? ''
    if (text === '|') refused.push({ wrong: 'a condition with `|` cannot be imported', todo: 'write it as one path' })
    if (text.startsWith('`')) made += literal(text)
    else if (!NAME.test(text) || lastWord(tokens, at) === '.' || isOfItems(tokens, at) || isCall(tokens, at))
      made += text
    else {
      const found = rooted(rewriting, at)
      made += found.text
      at = found.end
    }
  }
  return made
}

interface Rooted {
  readonly text: string
  /** The last token of it. */
  readonly end: number
}

/** The first names of a path, at most three: `steps`, an id, a field. */
function rooted({ tokens, names, refused }: Rewriting, start: number): Rooted {
  const path = [plain(tokens[start]?.text ?? '')]
  let end = start
  while (path.length < 3 && tokens[end + 1]?.text === '.' && NAME.test(tokens[end + 2]?.text ?? '')) {
    end += 2
    path.push(plain(tokens[end]?.text ?? ''))
  }
  const [first = '', second, third] = path
  const rest = path.slice(1).map(pathName)
  if (first === 'null') return { text: '`null`', end }
  if (first === 'variables') return { text: ['input', ...rest].join('.'), end }
  if (first === 'env' && second !== undefined) return { text: envText(second, rest, names, refused), end }
  if (first !== 'steps' || second === undefined) {
    const todo = `a literal stands between backticks: \`${first}\``
    refused.push({ wrong: `'${first}' is none of steps, variables and env`, todo })
    return { text: first, end }
  }
  if (!names.steps.has(second)) refused.push({ wrong: `there is no step '${second}'` })
  return third === 'status'
    ? status(tokens, end, `steps.${pathName(second)}`)
    : { text: ['steps', ...rest].join('.'), end }
}

function envText(name: string, rest: readonly string[], names: Names, refused: Wrong[]): string {
  // What is not on the list has no value there, whatever the process has.
  if (!names.env.has(name)) return '`null`'
  if (names.secretEnv(name)) refused.push({ wrong: `'${name}' looks like a secret, and a condition would show it` })
  return ['input.env', ...rest].join('.')
}

/** Compared with one of their words, it is compared with ours. */
function status(tokens: readonly Token[], end: number, step: string): Rooted {
  const words = tokens.flatMap(({ text }, at) => (at > end && text.trim() !== '' ? [{ text, at }] : [])).slice(0, 2)
  const [operator, value] = words
  const ours = /^['`]/.test(value?.text ?? '') ? STATUSES.get(textOf(value?.text ?? '') ?? '') : undefined
  if (operator === undefined || value === undefined || ours === undefined || !/^[!=]=$/.test(operator.text))
    return { text: statusThere(step), end }
  return { text: `${step}.status ${operator.text} '${ours}'`, end: value.at }
}

function plain(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name
}

/** There a literal that is no JSON is the text itself. */
function literal(text: string): string {
  const inside = textOf(text)
  return inside === undefined ? text : quotedText(inside)
}

const JSON_START = /^\s*(?:[[{"]|-?\d|true\b|false\b|null\b)/

/** The text of a literal; undefined for another value. */
function textOf(written: string): string | undefined {
  const inside = written.slice(1, -1)
  if (written.startsWith("'")) return inside.replaceAll("\\'", "'")
  return JSON_START.test(inside) ? undefined : inside.trim().replaceAll('\\`', '`')
}

function lastWord(tokens: readonly Token[], at: number): string {
  let before = at - 1
  while (tokens[before]?.text.trim() === '') before -= 1
  return tokens[before]?.text ?? ''
}

function isCall(tokens: readonly Token[], at: number): boolean {
  return tokens[at + 1]?.text === '('
}

/** Inside a filter, or the key of an object: names are fields of something else there. */
function isOfItems(tokens: readonly Token[], at: number): boolean {
  let depth = 0
  for (let before = at - 1; before >= 0; before -= 1) {
    const { text } = tokens[before] ?? { text: '' }
    if (CLOSING.has(text)) depth += 1
    else if (OPENING.has(text) && depth > 0) depth -= 1
    else if (text === '[' && tokens[before + 1]?.text === '?') return true
    else if (text === '&' && depth === 0) return true
  }
  const next = tokens.slice(at + 1).find(({ text }) => text.trim() !== '')
  return tokens[at]?.inside === '{' && next?.text === ':'
}

const COMPARING: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
const TRUE_OR_FALSE: ReadonlySet<string> = new Set(['contains', 'starts_with', 'ends_with'])

/** Every part between `&&` and `||` gives true, false or null, so both kinds of truth agree. */
function isBoolean(tokens: readonly Token[]): boolean {
  const parts: Token[][] = [[]]
  for (const token of tokens.filter(({ text }) => text.trim() !== '')) {
    if (token.inside === '' && (token.text === '&&' || token.text === '||')) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.every((part) => {
    const [first] = part
    const compares = part.some(({ text, inside }) => inside === '' && COMPARING.has(text))
    return compares || first?.text === '!' || (TRUE_OR_FALSE.has(first?.text ?? '') && part.at(-1)?.text === ')')
  })
}
