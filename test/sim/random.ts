/**
 * The simulator's only source of chance: a small seeded generator. A world forks one generator per purpose by name, so
 * that dropping a fault or a signal while shrinking leaves every other draw as it was.
 */
import type { Random } from '../../src/ports/random.ts'

/** 32-bit FNV-1a: the same text gives the same number in every process. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export class Rng {
  #state: number

  constructor(seed: number | string) {
    this.#state = typeof seed === 'number' ? seed >>> 0 : hashText(seed)
  }

  /** A fraction in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number in [from, to]. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    const value = list[Math.floor(this.next() * list.length)]
    if (value === undefined) throw new RangeError('nothing to pick from')
    return value
  }

  /** Picks a name by its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return (entries.at(-1) as [K, number])[0]
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The product's randomness port over a seeded generator. */
export function portRandom(rng: Rng): Random {
  const byte = (): number => Math.floor(rng.next() * 256)
  return {
    bytes: (length) => Uint8Array.from({ length }, byte),
    uuid: () => {
      let text = ''
      for (let at = 0; at < 16; at += 1) {
        const value = at === 6 ? (byte() & 0x0f) | 0x40 : at === 8 ? (byte() & 0x3f) | 0x80 : byte()
        if (at === 4 || at === 6 || at === 8 || at === 10) text += '-'
        text += HEX[value] ?? ''
      }
      return text
    },
  }
}
