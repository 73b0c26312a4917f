/**
 * A map that drops the least recently used entries, so that compiled expressions and schemas of untrusted plans cannot
 * fill the memory of a server.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly weight: number }>()
  readonly #max: number
  #weight = 0

  constructor(max: number) {
    this.#max = max
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#weight -= entry.weight
    this.#entries.delete(key)
  }

  /** `weight`: the number of usual entries that it counts as. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    if (this.#weight <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#max) break
      this.delete(oldest)
    }
  }
}
