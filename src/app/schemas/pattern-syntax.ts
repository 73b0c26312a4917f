/**
 * Parses a regular expression (ECMAScript) into a tree that can be matched in time linear in the text. It runs only
 * after the platform has accepted the pattern, so it never meets an invalid one; what one character may be stays source
 * text for the platform to judge. Back-references are refused because no linear algorithm exists; so are flags inside
 * the pattern.
 */
export type PatternNode =
  /** Source of what one character may be: `a`, `.`, `\d`, `[a-z]`. */
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly least: number; readonly most: number }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'look'; readonly body: PatternNode; readonly ahead: boolean; readonly negated: boolean }

/** `inside`: not at the edge of a word. */
export type Place = 'start' | 'end' | 'edge' | 'inside'

/** A pattern that cannot be matched in bounded time and space; its message says why. */
export class PatternRefused extends Error {}

const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|.)/suy
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy
const ANY = /./suy
const GROUP = /\(\?(?:(<?)([=!])|<[^>]*>|([a-z-]*):)|\(/y
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y
const PLACES: Readonly<Record<string, Place>> = { '^': 'start', $: 'end', '\\b': 'edge', '\\B': 'inside' }

export function readPattern(pattern: string): PatternNode {
  return new PatternReader(pattern).choice()
}

class PatternReader {
  #at = 0
  readonly #pattern: string

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Reads up to the closing bracket of its group, or to the end. */
  choice(): PatternNode {
    const options: PatternNode[] = []
    let parts: PatternNode[] = []
    for (;;) {
      const char = this.#pattern.charAt(this.#at)
      if (char === '|' || char === ')' || char === '') {
        options.push(parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts })
        if (char !== '|') break
        parts = []
        this.#at += 1
      } else parts.push(this.#quantified(char === '(' ? this.#group() : this.#atom(char)))
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options }
  }

  #group(): PatternNode {
    const found = this.#take(GROUP)
    if ((found[3] ?? '') !== '') throw new PatternRefused('flags inside a pattern, such as `(?i:…)`, are not supported')
    const body = this.choice()
    this.#at += 1
    const [, behind, sign] = found
    return sign === undefined ? body : { kind: 'look', body, ahead: behind === '', negated: sign === '!' }
  }

  #atom(char: string): PatternNode {
    const source = this.#take(char === '\\' ? ESCAPE : char === '[' ? CLASS : ANY)[0]
    if (/^\\(?:[1-9]|k)/.test(source)) throw new PatternRefused('a back-reference cannot be matched in bounded time')
    const place = PLACES[source]
    return place === undefined ? { kind: 'char', source } : { kind: 'place', place }
  }

  #quantified(body: PatternNode): PatternNode {
    QUANTIFIER.lastIndex = this.#at
    const found = QUANTIFIER.exec(this.#pattern)
    if (found === null) return body
    this.#at = QUANTIFIER.lastIndex
    const [, sign, from, comma, to] = found
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0
    const most =
      sign === undefined ? (comma === '' ? least : to === '' ? Infinity : Number(to)) : sign === '?' ? 1 : Infinity
    return { kind: 'repeat', body, least, most }
  }

  #take(what: RegExp): RegExpExecArray {
    what.lastIndex = this.#at
    const found = what.exec(this.#pattern)
    if (found === null) throw new PatternRefused('it is written in a way that is not understood')
    this.#at = what.lastIndex
    return found
  }
}
