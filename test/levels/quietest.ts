/** Measures again when limits are missed: what a machine did for somebody else in that minute is no property of the product. */
const TRIES = 3

export interface Quietest<T> {
  readonly measured: T
  /** Of the last try. */
  readonly missed: readonly string[]
}

export async function quietest<T>(
  measure: () => Promise<T>,
  misses: (measured: T) => readonly string[],
): Promise<Quietest<T>> {
  for (let tried = 1; ; tried += 1) {
    const measured = await measure()
    const missed = misses(measured)
    if (missed.length === 0 || tried === TRIES) return { measured, missed }
    process.stdout.write(`missed in try ${tried}: ${missed.join('; ')}\n`)
  }
}
