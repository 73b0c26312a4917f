/**
 * Cached values of a run's log. The cache holds only committed values and may drop any of them at any time: a missing
 * value is read from the log, and values of an append in progress never enter it.
 */
import type { AppendValues } from './appended.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'

/** Values just written are usually read next. */
const OUTPUTS_KEPT = 256
/** A list may be long: a few are enough for the running items and readers. */
const LISTS_KEPT = 8

/** Those before a turn, and those that a step under way was started with. */
const VARIABLES_KEPT = 2

type List = readonly unknown[]
type Rows = ReadonlyMap<string, string>

export class CommittedValues {
  readonly #outputs = new BoundedCache<number, Promise<unknown>>(OUTPUTS_KEPT)
  readonly #lists = new BoundedCache<string, Promise<List>>(LISTS_KEPT)
  /** All variables, as rows: kept only until the next commit, because they may be many. */
  readonly #variables = new BoundedCache<number, Promise<Rows>>(VARIABLES_KEPT)
  #input: Promise<unknown> | undefined

  /** The output recorded at this seq, if it is cached. */
  known(seq: number): Promise<unknown> | undefined {
    return this.#outputs.get(seq)
  }

  /** Caches the outputs of an append that was just committed. */
  take(append: AppendValues): void {
    for (const [seq, value] of append.outputs()) this.#outputs.set(seq, Promise.resolve(value))
    for (const [seq, list] of append.lists()) this.#lists.set(fanListName(seq), list)
    this.#variables.clear()
  }

  /** The rows of the run's variables as of a seq. */
  variables(seq: number, read: () => Promise<Rows>): Promise<Rows> {
    return readOnce(this.#variables, seq, read)
  }

  output(seq: number, read: () => Promise<unknown>): Promise<unknown> {
    return readOnce(this.#outputs, seq, read)
  }

  /** A whole list, by a name that never means another one. */
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

/** Of many simultaneous callers only one reads. A failed read is not cached. */
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
