/**
 * Searches for many texts at once in one pass over another, in time that depends only on the length of that text: an
 * Aho-Corasick automaton over UTF-16 units.
 */

/** Shorter values are masked only where they are a whole text: as part of other text they would mask ordinary words. */
export const NEEDLE_MIN_CHARS = 4
const COMMON = 256
const WIDE =
  '\u0085\u00a0\u00ad\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u2060\u3000\ufeff'
/** What a text may be wrapped or spaced with; some of it is not even seen. */
export const BLANKS = new RegExp(`[\\t-\\r ${WIDE}]`, 'g')
const WIDE_BLANKS: ReadonlySet<number> = new Set([...WIDE].map((blank) => blank.charCodeAt(0)))
const NONE = -1

export class Needles {
  /** From a state by a unit to the next state: an open hash table, twice as large as the number of entries. */
  readonly #states: Int32Array
  readonly #units: Uint16Array
  readonly #targets: Int32Array
  /** By state: the longest other prefix that has been read, for when there is no next state. */
  readonly #fallback: Int32Array
  /** By state: the length of the longest whole text that ends here; 0 when none does. */
  readonly #ends: Int32Array
  /** Which common units begin a text: this alone skips nearly every position. */
  readonly #begins = new Uint8Array(COMMON)
  #count = 1

  constructor(texts: Iterable<string>) {
    const all = [...new Set(texts)].filter((text) => text.length >= NEEDLE_MIN_CHARS)
    const most = all.reduce((sum, text) => sum + text.length, 1)
    const places = 2 ** Math.ceil(Math.log2(most * 2))
    this.#states = new Int32Array(places).fill(NONE)
    this.#units = new Uint16Array(places)
    this.#targets = new Int32Array(places)
    this.#fallback = new Int32Array(most)
    this.#ends = new Int32Array(most)
    this.#connect(all)
  }

  #placeOf(state: number, unit: number): number {
    const mask = this.#states.length - 1
    let place = (Math.imul(state, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 7
    for (place &= mask; this.#states[place] !== NONE; place = (place + 1) & mask)
      if (this.#states[place] === state && this.#units[place] === unit) break
    return place
  }

  #next(state: number, unit: number): number {
    const place = this.#placeOf(state, unit)
    return this.#states[place] === NONE ? NONE : (this.#targets[place] ?? NONE)
  }

  /** All texts at once, one unit of each at a time: a fallback is shorter, and so known before it is needed. */
  #connect(texts: readonly string[]): void {
    const at = new Int32Array(texts.length)
    let open = [...texts.keys()]
    for (let depth = 0; open.length > 0; depth += 1) {
      const left: number[] = []
      for (const index of open) {
        const text = texts[index] ?? ''
        const unit = text.charCodeAt(depth)
        const from = at[index] ?? 0
        if (depth === 0 && unit < COMMON) this.#begins[unit] = 1
        const state = this.#stateAfter(from, unit)
        at[index] = state
        if (text.length === depth + 1) this.#ends[state] = text.length
        else left.push(index)
      }
      open = left
    }
  }

  #stateAfter(from: number, unit: number): number {
    const place = this.#placeOf(from, unit)
    if (this.#states[place] !== NONE) return this.#targets[place] ?? 0
    const fallback = from === 0 ? 0 : this.#step(this.#fallback[from] ?? 0, unit)
    const state = this.#count
    this.#count += 1
    this.#states[place] = from
    this.#units[place] = unit
    this.#targets[place] = state
    this.#fallback[state] = fallback
    // Any other text that ends here is shorter: it lies within this one.
    this.#ends[state] = this.#ends[fallback] ?? 0
    return state
  }

  #step(from: number, unit: number): number {
    for (let state = from; ; state = this.#fallback[state] ?? 0) {
      const next = this.#next(state, unit)
      if (next !== NONE) return next
      if (state === 0) return 0
    }
  }

  /** Reports every match by its beginning and its end, ordered by end. */
  find(text: string, found: (from: number, to: number) => void): void {
    const begins = this.#begins
    let state = 0
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (state === 0 && unit < COMMON && begins[unit] === 0) continue
      state = this.#step(state, unit)
      const length = this.#ends[state] ?? 0
      if (length > 0) found(at + 1 - length, at + 1)
    }
  }

  /** The same, ignoring blanks and line ends in the text. */
  findPacked(text: string, found: (from: number, to: number) => void): void {
    const begins = this.#begins
    const read: number[] = []
    let state = 0
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit <= 32 ? unit === 32 || (unit >= 9 && unit <= 13) : unit > 127 && WIDE_BLANKS.has(unit)) continue
      if (state === 0 && unit < COMMON && begins[unit] === 0) continue
      state = this.#step(state, unit)
      if (state === 0) {
        read.length = 0
        continue
      }
      read.push(at)
      const length = this.#ends[state] ?? 0
      if (length > 0) found(read[read.length - length] ?? 0, at + 1)
    }
  }
}
