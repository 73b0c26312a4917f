/**
 * A condition of orchestr8 as one of a plan. Both are JMESPath, over other roots; there a bare word between backticks is a
 * text, and a value counts as JavaScript counts it: 0 is false, an empty list is true.
 */
import { tokensOf, type Token } from '../../read/expression-tokens.ts'
import { literal, textOf } from './literal.ts'
import { pathName, quotedText, STATUSES, statusThere, type Names } from './names.ts'
import { mayFail, newerSyntax } from './older-syntax.ts'
import { orderedThere } from './ordering.ts'
import { endOfPath, isBareNumber, isCall, isOfItems, lastWord, NAME } from './token-places.ts'

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
  const newer = newerSyntax(tokens)
  if (newer !== undefined)
    refused.push({
      wrong: `there is no '${newer}' in a condition there: it was never true`,
      todo: 'write it in the plan',
    })
  const made = orderedThere(rewritten({ tokens, names, refused }).trim())
  const [first] = refused
  if (first !== undefined) return first
  const text = mayFail(tokens) ? `or_false(&(${made}))` : made
  return { text: isBoolean(tokens) ? text : `!contains([\`null\`, \`false\`, \`0\`, ''], ${text})` }
}

function rewritten(rewriting: Rewriting): string {
  const { tokens, refused } = rewriting
  let made = ''
  for (let at = 0; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? ''
    if (isBareNumber(tokens, at))
      refused.push({ wrong: `'${text}' is no literal there`, todo: `a literal stands between backticks: \`${text}\`` })
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
    const todo =
      first === 'steps' || first === 'env'
        ? `write ${first}.<name>: a plan reads them one by one`
        : `a literal stands between backticks: \`${first}\``
    refused.push({ wrong: `'${first}' is none of steps, variables and env`, todo })
    return { text: first, end }
  }
  // It has no value there either.
  if (!names.steps.has(second)) return { text: '`null`', end: endOfPath(tokens, end) }
  names.reads(second)
  if (third === 'status') return status(tokens, end, `steps.${pathName(second)}`)
  if (third === 'stepId') return { text: quotedText(second), end }
  if (third !== undefined && third !== 'output' && third !== 'error') {
    const todo = 'a plan reads output, status and error.code of a step'
    refused.push({ wrong: `'${third}' of step '${second}' cannot be read in a plan`, todo })
  }
  return { text: ['steps', ...rest].join('.'), end }
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

const COMPARING: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
const TRUE_OR_FALSE: ReadonlySet<string> = new Set(['contains', 'starts_with', 'ends_with'])

/** Every part between `&&` and `||` gives true, false or null, so both kinds of truth agree. */
function isBoolean(tokens: readonly Token[]): boolean {
  if (tokens.some(({ text }) => text === '|')) return false
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
