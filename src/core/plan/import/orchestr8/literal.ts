/** Literals between backticks, as the library of orchestr8 reads them: what is no JSON is a text, such as a status or a date. */
import { quotedText } from './names.ts'

/** There a literal that is no JSON is the text itself. */
export function literal(text: string): string {
  const inside = textOf(text)
  return inside === undefined ? text : quotedText(inside)
}

/** The text of a literal; undefined for another value. */
export function textOf(written: string): string | undefined {
  const inside = written.slice(1, -1)
  if (written.startsWith("'")) return inside.replaceAll("\\'", "'")
  const value = inside.trimStart().replaceAll('\\`', '`')
  return looksLikeJson(value) ? undefined : value
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function looksLikeJson(text: string): boolean {
  return /^[[{"]/.test(text) || ['true', 'false', 'null'].includes(text) || NUMBER.test(text.trimEnd())
}
