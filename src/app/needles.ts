/** Looks for many texts at once in one pass over another, whatever their number, and replaces them. */

/** Shorter values are masked only where they stand alone: as part of other text they would mask half the language. */
export const NEEDLE_MIN_CHARS = 4
const BUCKETS = 1 << 16

/** Where two overlap nothing of either stays. */
export class Needles {
  readonly #byStart = new Map<number, string[]>()
  /** Which beginnings occur at all: nearly every place of a text is passed over by this alone. */
  readonly #begins = new Uint8Array(BUCKETS)

  add(needle: string): void {
    const start = startOf(needle, 0)
    const others = this.#byStart.get(start)
    this.#begins[start] = 1
    if (others === undefined) this.#byStart.set(start, [needle])
    else if (!others.includes(needle)) others.push(needle)
  }

  replacedIn(text: string, mask: string): string {
    if (this.#byStart.size === 0) return text
    let out = ''
    let kept = 0
    let from = -1
    let to = 0
    for (let at = 0; at + NEEDLE_MIN_CHARS <= text.length; at += 1) {
      const start = startOf(text, at)
      if (this.#begins[start] !== 1) continue
      const end = this.#longestAt(text, at, start)
      if (end <= to) continue
      if (from >= 0 && at >= to) {
        out += text.slice(kept, from) + mask
        kept = to
        from = at
      }
      if (from < 0) from = at
      to = end
    }
    return from < 0 ? text : out + text.slice(kept, from) + mask + text.slice(to)
  }

  #longestAt(text: string, at: number, start: number): number {
    let end = 0
    for (const needle of this.#byStart.get(start) ?? [])
      if (at + needle.length > end && text.startsWith(needle, at)) end = at + needle.length
    return end
  }
}

function startOf(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)
  return ((first * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & (BUCKETS - 1)
}
