/** The tokens of an expression as JMESPath reads them, and `??` besides; together they are the text again. */
const TOKEN =
  /\s+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[A-Za-z_$@][\w$]*|\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\/\/|[=!<>]=|&&|\|\||\?\?|[\s\S]/gy
export const OPENING: ReadonlySet<string> = new Set(['(', '[', '{'])
export const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])

export interface Token {
  readonly text: string
  /** The innermost bracket that is open here. */
  readonly inside: string
}

export function tokensOf(expression: string): readonly Token[] {
  const open: string[] = []
  return Array.from(expression.matchAll(TOKEN), ([text]) => {
    if (CLOSING.has(text)) open.pop()
    const inside = open.at(-1) ?? ''
    if (OPENING.has(text)) open.push(text)
    return { text, inside }
  })
}
