/** A small seeded generator for fuzz tests: the seed is printed, and KEELSON_SEED takes it back. */
export interface RandomSource {
  readonly seed: number
  below(limit: number): number
  pick<T>(values: readonly [T, ...T[]]): T
}

export function seedFromEnvironment(): number {
  const given = process.env.KEELSON_SEED
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
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
