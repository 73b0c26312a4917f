/**
 * Knows every secret value this process was given and masks it wherever it would leave the step: plain, in base64 (also
 * inside a longer text, as in a Basic header), URL-encoded, in hex or escaped in JSON (SEC-03, SEC-08). A process that never
 * resolved a secret pays one comparison.
 */
import { canonicalText } from './canonical.ts'
import { Needles, NEEDLE_MIN_CHARS } from './needles.ts'
import { secretForms } from './secret-forms.ts'

const MASK = '***'

const VALUES_KEPT = 1_000

export class Redactor {
  /** Forms by value, the one resolved longest ago first. */
  readonly #values = new Map<string, readonly string[]>()
  #parts = new Needles()
  #alone: ReadonlySet<string> = new Set()

  get knowsAny(): boolean {
    return this.#values.size > 0
  }

  learn(value: string): void {
    if (value === '') return
    const known = this.#values.get(value)
    this.#values.delete(value)
    this.#values.set(value, known ?? secretForms(value))
    if (known !== undefined) return
    const [oldest] = this.#values.keys()
    if (this.#values.size <= VALUES_KEPT || oldest === undefined) this.#take(this.#values.get(value) ?? [])
    else {
      this.#values.delete(oldest)
      this.#parts = new Needles()
      this.#alone = new Set()
      for (const forms of this.#values.values()) this.#take(forms)
    }
  }

  #take(forms: readonly string[]): void {
    for (const form of forms) if (form.length >= NEEDLE_MIN_CHARS) this.#parts.add(form)
    this.#alone = new Set([...this.#alone, ...forms.filter((form) => form.length < NEEDLE_MIN_CHARS)])
  }

  text(text: string): string {
    return this.#alone.has(text) ? MASK : this.#parts.replacedIn(text, MASK)
  }

  /** JSON with every string and key masked; the very same value when there was nothing to mask or it is no JSON. */
  value<T>(value: T): T {
    if (!this.knowsAny || value === undefined) return value
    let text: string
    try {
      text = canonicalText(value)
    } catch {
      // It will be refused by its own rule before anything of it is recorded.
      return value
    }
    if (this.#alone.size === 0 && this.text(text) === text) return value
    return this.#masked(JSON.parse(text)) as T
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.text(String(value)) === MASK ? MASK : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((one) => this.#masked(one))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.text(name), this.#masked(one)]))
  }
}
