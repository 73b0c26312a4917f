/**
 * Values of a run's log, kept at hand for whoever reads them next. It holds only what is committed and may forget any of
 * it at any time: what it does not have is read from the log, and what an append in the making knows never comes here.
 */
import type { AppendValues } from './append-values.ts'
import { BoundedCache } from './bounded-cache.ts'

/** What was just written is read next. */
const OUTPUTS_KEPT = 256
/** A list may be long: a few are enough for the items and readers that are at work. */
const LISTS_KEPT = 8

type List = readonly unknown[]

export class CommittedValues {
  readonly #outputs = new BoundedCache<number, Promise<unknown>>(OUTPUTS_KEPT)
  readonly #lists = new BoundedCache<string, Promise<List>>(LISTS_KEPT)
  #input: Promise<unknown> | undefined

  /** The output recorded at this seq, if it is at hand. */
  known(seq: number): Promise<unknown> | undefined {
    return this.#outputs.get(seq)
  }

  /** What an append put out that was just committed. */
  take(append: AppendValues): void {
    for (const [seq, value] of append.outputs()) this.#outputs.set(seq, Promise.resolve(value))
    for (const [seq, list] of append.lists()) this.#lists.set(fanListName(seq), list)
  }

  output(seq: number, read: () => Promise<unknown>): Promise<unknown> {
    return readOnce(this.#outputs, seq, read)
  }

  /** A whole list by a name that never means another one. */
  list(name: string, read: () => Promise<List>): Promise<List> {
    return readOnce(this.#lists, name, read)
  }

  input(read: () => Promise<unknown>): Promise<unknown> {
    this.#input ??= read().catch((thrown: unknown) => {
      this.#input = undefined
      throw thrown
    })
    return this.#input
  }
}

/** A fan-out's list by the seq of its end: no item changes after it. */
export function fanListName(parentSeq: number): string {
  return `fan:${parentSeq}`
}

/** However many ask at the same moment, one reads. A read that failed is not kept. */
function readOnce<K, V>(cache: BoundedCache<K, Promise<V>>, key: K, read: () => Promise<V>): Promise<V> {
  const known = cache.get(key)
  if (known !== undefined) return known
  const reading = read().catch((thrown: unknown) => {
    if (cache.get(key) === reading) cache.delete(key)
    throw thrown
  })
  cache.set(key, reading)
  return reading
}
