/** Where a token of a condition stands: which names begin a path, and which are fields of something else. */
import { CLOSING, OPENING, type Token } from '../../read/expression-tokens.ts'

export const NAME = /^(?:[A-Za-z_]\w*|"(?:\\.|[^"\\])*")$/

/** The last token of all that follows in the path: names, indexes and filters. */
export function endOfPath(tokens: readonly Token[], start: number): number {
  let end = start
  for (;;) {
    const next = tokens[end + 1]?.text
    if (next === '.' && NAME.test(tokens[end + 2]?.text ?? '')) end += 2
    else if (next === '[') end = closingOf(tokens, end + 1)
    else return end
  }
}

function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? ''
    if (OPENING.has(text)) depth += 1
    if (CLOSING.has(text)) depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}

/** A number that is neither an index nor part of a slice. */
export function isBareNumber(tokens: readonly Token[], at: number): boolean {
  if (!/^\d/.test(tokens[at]?.text ?? '')) return false
  const [before, after] = [lastWord(tokens, at), nextWord(tokens, at)]
  return !(/^[[:-]$/.test(before) && /^[\]:]$/.test(after))
}

function nextWord(tokens: readonly Token[], at: number): string {
  return tokens.slice(at + 1).find(({ text }) => text.trim() !== '')?.text ?? ''
}

export function lastWord(tokens: readonly Token[], at: number): string {
  let before = at - 1
  while (tokens[before]?.text.trim() === '') before -= 1
  return tokens[before]?.text ?? ''
}

export function isCall(tokens: readonly Token[], at: number): boolean {
  return tokens[at + 1]?.text === '('
}

/** Inside a filter, after a pipe, or the key of an object: names are fields of something else there. */
export function isOfItems(tokens: readonly Token[], at: number): boolean {
  let depth = 0
  for (let before = at - 1; before >= 0; before -= 1) {
    const { text } = tokens[before] ?? { text: '' }
    if (CLOSING.has(text)) depth += 1
    else if (OPENING.has(text) && depth > 0) depth -= 1
    else if (text === '[' && tokens[before + 1]?.text === '?') return true
    else if (OPENING.has(text) && tokens[before - 1]?.text === '.') return true
    else if ((text === '&' || text === '|') && depth === 0) return true
  }
  return tokens[at]?.inside === '{' && nextWord(tokens, at) === ':'
}
