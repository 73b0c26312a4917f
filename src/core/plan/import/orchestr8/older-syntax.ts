/**
 * The JMESPath of orchestr8 is older than that of plans: it has fewer functions, and no arithmetic, `?:` or `??`. A condition
 * that uses more was never true there. One that calls a function for a value of the wrong type is false there, too.
 */
import type { Token } from '../../read/expression-tokens.ts'
import { isCall, lastWord } from './token-places.ts'

/** For any value: these calls cannot fail. */
const FOR_ALL: ReadonlySet<string> = new Set(['not_null', 'to_array', 'to_number', 'to_string', 'type'])
const FOR_SOME: ReadonlySet<string> = new Set(
  (
    'abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by reverse ' +
    'sort sort_by starts_with sum values'
  ).split(' '),
)
const OPERATORS: ReadonlySet<string> = new Set(['+', '%', '/', '//', '??'])

/** What of a condition there was not. */
export function newerSyntax(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(({ text }, index) => {
    if (isCall(tokens, index) && /^[a-z]/i.test(text)) return !FOR_ALL.has(text) && !FOR_SOME.has(text)
    if (text === '?') return tokens[index - 1]?.text !== '['
    // Elsewhere it is the sign of an index.
    if (text === '-') return !/^[[:]$/.test(lastWord(tokens, index))
    return OPERATORS.has(text)
  })
  const found = tokens[at]?.text
  return found === undefined ? undefined : isCall(tokens, at) ? `${found}()` : found
}

export function mayFail(tokens: readonly Token[]): boolean {
  return tokens.some(({ text }, at) => isCall(tokens, at) && FOR_SOME.has(text))
}
