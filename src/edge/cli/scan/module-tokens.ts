/**
 * The words and signs of a JavaScript or TypeScript file, without comments and without the content of strings. It reads
 * and never runs; where the language is ambiguous it guesses, so callers must tolerate a wrong token.
 */
export interface Token {
  readonly kind: 'name' | 'text' | 'sign'
  readonly text: string
}

const SPACE = /\s+/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const NAME = /[\p{ID_Start}$_#@][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER = /\d[\w.]*/y
const TEXT = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const SIGN = /=>|\.\.\.|[\s\S]/y

/** After these a slash begins a regular expression and is no division. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else await yield instanceof default'.split(' '),
)

export function moduleTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  // For each open brace: does a template continue after it?
  const braces: boolean[] = []
  let at = source.startsWith('#!') ? Math.max(0, source.indexOf('\n')) : 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [found] = pattern.exec(source) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  const template = (): void => {
    take(TEMPLATE_PART)
    if (source.startsWith('${', at)) {
      at += 2
      braces.push(true)
      tokens.push({ kind: 'sign', text: '{' })
    } else {
      at += 1
      tokens.push({ kind: 'text', text: '' })
    }
  }
  while (at < source.length) {
    if (take(SPACE) !== undefined || take(COMMENT) !== undefined) continue
    const name = take(NAME)
    if (name !== undefined) {
      tokens.push({ kind: 'name', text: name })
      continue
    }
    if (take(NUMBER) !== undefined) {
      tokens.push({ kind: 'text', text: '' })
      continue
    }
    const text = take(TEXT)
    if (text !== undefined) {
      tokens.push({ kind: 'text', text: text.slice(1, -1) })
      continue
    }
    if (source[at] === '/' && beginsRegex(tokens.at(-1)) && take(REGEX) !== undefined) {
      tokens.push({ kind: 'text', text: '' })
      continue
    }
    const sign = take(SIGN) ?? ''
    if (sign === '`') {
      template()
      continue
    }
    tokens.push({ kind: 'sign', text: sign })
    if (sign === '{') braces.push(false)
    else if (sign === '}' && braces.pop() === true) template()
  }
  return tokens
}

function beginsRegex(before: Token | undefined): boolean {
  if (before === undefined) return true
  if (before.kind === 'name') return BEFORE_REGEX.has(before.text)
  return before.kind === 'sign' && before.text !== ')' && before.text !== ']'
}
