/**
 * From instants to places on the timeline. Stretches in which nothing happened for long are folded to a short mark, so that a
 * wait of a day does not flatten the seconds before it.
 */
export interface Idle {
  readonly from: number
  readonly to: number
  /** Where its mark is, from 0 to 1. */
  readonly at: number
}

export interface TimeScale {
  readonly from: number
  readonly to: number
  /** From 0 to 1. */
  readonly place: (ms: number) => number
  readonly idle: readonly Idle[]
}

/** What is longer than this part of all that is shown, and than a few seconds, is folded to this part. */
const LONG = 0.3
const FOLDED = 0.06
const SHORTEST_MS = 4_000

interface Piece {
  readonly from: number
  readonly to: number
  readonly isFolded: boolean
  start: number
  size: number
}

/** `instants` in rising order: when something happened. */
export function timeScale(instants: readonly number[]): TimeScale {
  const from = instants[0] ?? 0
  const to = Math.max(from + 1, instants.at(-1) ?? 0)
  const pieces: Piece[] = []
  const limit = Math.max(SHORTEST_MS, (to - from) * LONG)
  for (let at = 1; at < instants.length; at += 1) {
    const [begin, end] = [instants[at - 1] ?? 0, instants[at] ?? 0]
    const last = pieces.at(-1)
    const isFolded = end - begin > limit
    if (!isFolded && last?.isFolded === false) pieces[pieces.length - 1] = { ...last, to: end }
    else pieces.push({ from: begin, to: end, isFolded, start: 0, size: 0 })
  }
  measure(pieces)
  return {
    from,
    to,
    place: (ms) => placeIn(pieces, ms, from, to),
    idle: pieces.filter(({ isFolded }) => isFolded).map((one) => ({ ...one, at: one.start + one.size / 2 })),
  }
}

function measure(pieces: readonly Piece[]): void {
  const folded = pieces.filter(({ isFolded }) => isFolded).length
  const moving = pieces.reduce((sum, one) => sum + (one.isFolded ? 0 : one.to - one.from), 0)
  // Where nothing moves beside what is folded, what is folded takes all.
  const each = moving === 0 ? 1 / Math.max(1, folded) : FOLDED
  const room = 1 - folded * each
  let start = 0
  for (const piece of pieces) {
    piece.start = start
    piece.size = piece.isFolded ? each : ((piece.to - piece.from) / Math.max(1, moving)) * room
    start += piece.size
  }
}

function placeIn(pieces: readonly Piece[], ms: number, from: number, to: number): number {
  if (ms <= from) return 0
  if (ms >= to) return 1
  const piece = pieces.find((one) => ms < one.to) ?? pieces.at(-1)
  if (piece === undefined) return 0
  const part = (ms - piece.from) / Math.max(1, piece.to - piece.from)
  return Math.min(1, piece.start + part * piece.size)
}
