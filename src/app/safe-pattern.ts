/**
 * Judges a regular expression before it meets a stranger's text: one that can read the same text in ever more ways, as
 * `(a+)+` or `(a|a)*` can, takes exponential time. A repeat of something that itself repeats or chooses passes only if
 * each round begins or ends with a character that tells it from the rest, as in `[a-z]+(-[a-z]+)*`.
 */
const MAX_PATTERN_CHARS = 1_024
const MAX_ITEMS = 400

interface Item {
  /** Source of what one character may be; absent for a group. */
  readonly atom?: string
  readonly group?: readonly Item[][]
  repeats: boolean
  optional: boolean
}

export function isSafePattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return false
  const reader = new PatternReader(pattern)
  const alternatives = reader.alternatives()
  return reader.items <= MAX_ITEMS && alternatives.every((items) => items.every(isSafeItem))
}

class PatternReader {
  items = 0
  #at = 0
  readonly #pattern: string

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Reads up to the closing bracket of the group it stands in, or to the end. */
  alternatives(): Item[][] {
    let current: Item[] = []
    const all = [current]
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern.charAt(this.#at)
      if (char === ')') break
      this.#at += 1
      if (char === '|') all.push((current = []))
      else if (char === '(') current.push(this.#quantified(this.#group()))
      else if (char !== '^' && char !== '$') current.push(this.#quantified(this.#atom(char)))
    }
    return all
  }

  #group(): Item {
    const prefix = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(this.#pattern.slice(this.#at))
    this.#at += prefix?.[0].length ?? 0
    const group = this.alternatives()
    this.#at += 1
    return { group, repeats: false, optional: false }
  }

  #atom(char: string): Item {
    const start = this.#at - 1
    if (char === '\\') this.#at += escapeLength(this.#pattern.slice(this.#at))
    if (char === '[') this.#at += /^(?:\\.|[^\]\\])*\]?/s.exec(this.#pattern.slice(this.#at))?.[0].length ?? 0
    return { atom: this.#pattern.slice(start, this.#at), repeats: false, optional: false }
  }

  #quantified(item: Item): Item {
    this.items += 1
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at))
    if (match === null) return item
    this.#at += match[0].length
    const [text, least, comma, most] = match
    item.optional = text.startsWith('*') || text.startsWith('?') || least === '0'
    item.repeats =
      text.startsWith('*') || text.startsWith('+') || (comma === ',' && most !== '1') || Number(least ?? 0) > 1
    return item
  }
}

function escapeLength(rest: string): number {
  return /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<[^>]*>|.)/s.exec(rest)?.[0].length ?? 0
}

function isSafeItem(item: Item): boolean {
  const { group } = item
  if (group === undefined) return true
  if (!group.every((items) => items.every(isSafeItem))) return false
  if (!item.repeats) return true
  const ambiguous = group.length > 1 || group.some((items) => items.some(varies))
  return !ambiguous || group.length > 1 ? !ambiguous || choosesByFirst(group) : isDelimited(group[0] ?? [])
}

function varies(item: Item): boolean {
  if (item.repeats || item.optional) return true
  return item.group !== undefined && (item.group.length > 1 || item.group.some((items) => items.some(varies)))
}

/** Every alternative is of fixed shape and the first character says which one it is. */
function choosesByFirst(group: readonly Item[][]): boolean {
  const firsts = group.map((items) => items[0]?.atom)
  if (group.some((items) => items.length === 0 || items.some(varies))) return false
  return firsts.every(
    (first, index) =>
      first !== undefined && firsts.slice(index + 1).every((other) => other !== undefined && disjoint(first, other)),
  )
}

/** The round begins or ends with one character that nothing else in it can match. */
function isDelimited(items: readonly Item[]): boolean {
  return [items[0], items.at(-1)].some((edge) => {
    if (edge?.atom === undefined || edge.repeats || edge.optional) return false
    const { atom } = edge
    return atomsOf(items.filter((item) => item !== edge)).every((other) => disjoint(atom, other))
  })
}

function atomsOf(items: readonly Item[]): string[] {
  return items.flatMap((item) => (item.atom === undefined ? (item.group ?? []).flatMap(atomsOf) : [item.atom]))
}

const SAMPLE: readonly string[] = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  'Ā',
  'я',
  '中',
  '😀',
  '\u2028',
]

function disjoint(one: string, other: string): boolean {
  try {
    const [first, second] = [new RegExp(`^(?:${one})$`, 'u'), new RegExp(`^(?:${other})$`, 'u')]
    return !SAMPLE.some((char) => first.test(char) && second.test(char))
  } catch {
    return false
  }
}
