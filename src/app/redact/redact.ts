/**
 * Knows the secret values that the attempts of one run were given, and masks them wherever they would leave it, in
 * whatever code they are written (SEC-03, SEC-08). A run that never resolved a secret has none. Values of other runs
 * are unknown here: a mask reveals nothing about the secrets of others.
 */
import { canonicalText } from '../log/canonical.ts'
import { NEEDLE_MIN_CHARS } from './needles.ts'
import { secretForms, shortForms } from './forms.ts'
import { SecretSearch } from './search.ts'

const MASK = '***'
/** Values no longer used by an attempt in flight are kept for late output; of very many the oldest are dropped. */
const IDLE_KEPT = 1_000
/** The longest way to write a character, escaped twice. */
const CHARS_PER_CHAR = 16

interface Group {
  readonly values: readonly string[]
  search?: SecretSearch
}

export class Redactor {
  /** How many attempts in flight use a value; oldest first. */
  readonly #inUse = new Map<string, number>()
  /** Each at most half as large as the one before: a new value does not rebuild all groups. */
  #groups: Group[] = []
  #alone: ReadonlySet<string> = new Set()
  #longest = 0
  #idle = 0

  get knowsAny(): boolean {
    return this.#inUse.size > 0
  }

  /** How far from its end a part of a text may still belong to a secret. */
  get reachChars(): number {
    return this.#longest * CHARS_PER_CHAR
  }

  /** Until it is released the same number of times. */
  hold(value: string): void {
    if (value === '') return
    const uses = this.#inUse.get(value)
    if (uses === 0) this.#idle -= 1
    this.#inUse.set(value, (uses ?? 0) + 1)
    if (uses === undefined) this.#take([value])
  }

  release(value: string): void {
    const uses = this.#inUse.get(value)
    if (uses === undefined || uses === 0) return
    this.#inUse.set(value, uses - 1)
    if (uses === 1) this.#idle += 1
    if (this.#idle > 2 * IDLE_KEPT) this.#forgetIdle()
  }

  /** Drops the search tables; they are rebuilt when needed. */
  rest(): void {
    for (const group of this.#groups) delete group.search
  }

  #take(values: readonly string[]): void {
    let group: Group = { values }
    for (let last = this.#groups.at(-1); last !== undefined && last.values.length <= group.values.length;) {
      group = { values: [...last.values, ...group.values] }
      this.#groups.pop()
      last = this.#groups.at(-1)
    }
    this.#groups.push(group)
    this.#alone = new Set([...this.#alone, ...values.flatMap(shortForms)])
    for (const { length } of values) this.#longest = Math.max(this.#longest, length)
  }

  #forgetIdle(): void {
    for (const [value, uses] of this.#inUse) {
      if (this.#idle <= IDLE_KEPT) break
      if (uses > 0) continue
      this.#inUse.delete(value)
      this.#idle -= 1
    }
    this.#groups = []
    this.#alone = new Set()
    this.#take([...this.#inUse.keys()])
  }

  text(text: string): string {
    return this.part(text, 0, text.length)
  }

  /** A part of a text, masked before it is cut: half a secret at the cut is masked too. */
  part(text: string, from: number, to: number): string {
    if (!this.knowsAny) return text.slice(from, to)
    if (this.#alone.has(text.trim())) return MASK
    if (text.length < NEEDLE_MIN_CHARS) return text.slice(from, to)
    let out = ''
    let kept = from
    for (const [begin, end] of this.#spans(text)) {
      if (end <= from || begin >= to) continue
      out += text.slice(kept, Math.max(kept, begin)) + MASK
      kept = Math.min(end, to)
    }
    return out + text.slice(kept, to)
  }

  /** Ranges to mask; overlapping ranges are merged. */
  #spans(text: string): readonly (readonly [number, number])[] {
    const found: [number, number][] = []
    for (const group of this.#groups) {
      group.search ??= new SecretSearch(group.values.map(secretForms))
      group.search.find(text, (from, to) => found.push([from, to]))
    }
    found.sort((a, b) => a[0] - b[0] || b[1] - a[1])
    const spans: [number, number][] = []
    for (const [from, to] of found) {
      const last = spans.at(-1)
      if (last === undefined || from >= last[1]) spans.push([from, to])
      else last[1] = Math.max(last[1], to)
    }
    return spans
  }

  /** JSON with every string and key masked; the same value when there was nothing to mask or it is not JSON. */
  value<T>(value: T): T {
    if (!this.knowsAny || value === undefined) return value
    let text: string
    try {
      text = canonicalText(value)
    } catch {
      // Another rule refuses this value before any of it is recorded.
      return value
    }
    const plain: unknown = JSON.parse(text)
    const masked = this.#masked(plain)
    return masked === plain ? value : (masked as T)
  }

  /** Each string separately: as a whole, JSON would add one more layer of escapes. */
  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.text(String(value)) === MASK ? MASK : value
    if (typeof value !== 'object' || value === null) return value
    if (isBytes(value) && this.#spans(JSON.stringify(value)).length > 0) return MASK
    const entries = Object.entries(value)
    const masked = entries.map(
      ([name, one]) => [Array.isArray(value) ? name : this.text(name), this.#masked(one)] as const,
    )
    if (masked.every(([name, one], at) => name === entries[at]?.[0] && one === entries[at]?.[1])) return value
    return Array.isArray(value) ? masked.map(([, one]) => one) : Object.fromEntries(masked)
  }
}

const BYTES_MIN = 4

/** JSON writes bytes as a list or an object of small numbers. */
function isBytes(value: object): boolean {
  const all = Object.values(value)
  return all.length >= BYTES_MIN && all.every((one) => Number.isInteger(one) && one >= 0 && one <= 255)
}
