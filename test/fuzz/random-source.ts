/** A small seeded generator for fuzz tests. */
export interface RandomSource {
  readonly seed: number
  below(limit: number): number
  pick<T>(values: readonly [T, ...T[]]): T
}

/** mulberry32 */
export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
  return { seed, below, pick: (values) => values[below(values.length)] ?? values[0] }
}
