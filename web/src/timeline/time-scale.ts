/**
 * From instants to places on the timeline, and back. Stretches in which nothing happened for long are folded to a short mark, so that
 * a wait of a day does not flatten the seconds before it.
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
  /** The instant of a place. */
  readonly instantAt: (place: number) => number
  readonly idle: readonly Idle[]
  /** Round distances from the beginning, where a time can be written. */
  readonly ticks: readonly { readonly ms: number; readonly at: number }[]
}

export interface Range {
  readonly from: number
  readonly to: number
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

/** `all` in rising order: when something happened. With a range only that part is shown. */
export function timeScale(all: readonly number[], range?: Range): TimeScale {
  const instants =
    range === undefined ? all : [range.from, ...all.filter((ms) => ms > range.from && ms < range.to), range.to]
  const from = instants[0] ?? 0
  const to = Math.max(from + 1, instants.at(-1) ?? 0)
  const pieces = piecesOf(instants, Math.max(SHORTEST_MS, (to - from) * LONG))
  const place = (ms: number): number => placeIn(pieces, ms, from, to)
  const idle = pieces.filter(({ isFolded }) => isFolded).map((one) => ({ ...one, at: one.start + one.size / 2 }))
  return {
    from,
    to,
    place,
    idle,
    instantAt: (at) => instantIn(pieces, at, from, to),
    ticks: ticksOf(pieces, all[0] ?? 0, place),
  }
}

function piecesOf(instants: readonly number[], limit: number): readonly Piece[] {
  const pieces: Piece[] = []
  for (let at = 1; at < instants.length; at += 1) {
    const [begin, end] = [instants[at - 1] ?? 0, instants[at] ?? 0]
    const last = pieces.at(-1)
    const isFolded = end - begin > limit
    if (!isFolded && last?.isFolded === false) pieces[pieces.length - 1] = { ...last, to: end }
    else pieces.push({ from: begin, to: end, isFolded, start: 0, size: 0 })
  }
  measure(pieces)
  return pieces
}

function measure(pieces: readonly Piece[]): void {
  const folded = pieces.filter(({ isFolded }) => isFolded).length
  const moving = movingIn(pieces)
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

function movingIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, one) => sum + (one.isFolded ? 0 : one.to - one.from), 0)
}

function placeIn(pieces: readonly Piece[], ms: number, from: number, to: number): number {
  if (ms <= from) return 0
  if (ms >= to) return 1
  const piece = pieces.find((one) => ms < one.to) ?? pieces.at(-1)
  if (piece === undefined) return 0
  const part = (ms - piece.from) / Math.max(1, piece.to - piece.from)
  return Math.min(1, piece.start + part * piece.size)
}

function instantIn(pieces: readonly Piece[], at: number, from: number, to: number): number {
  if (at <= 0) return from
  if (at >= 1) return to
  const piece = pieces.find(({ start, size }) => at < start + size) ?? pieces.at(-1)
  if (piece === undefined) return from
  return piece.from + ((at - piece.start) / Math.max(Number.EPSILON, piece.size)) * (piece.to - piece.from)
}

const MOST_TICKS = 6
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ROUND_MS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 8, 12, 24, 48, 168].map((hours) => hours * HOUR),
]
/** Nearer to each other, to a fold or to an end, two texts would meet. */
const APART = 0.1

function ticksOf(pieces: readonly Piece[], zero: number, place: (ms: number) => number): TimeScale['ticks'] {
  const step = ROUND_MS.find((ms) => movingIn(pieces) / ms <= MOST_TICKS) ?? movingIn(pieces)
  const taken = pieces.filter(({ isFolded }) => isFolded).map(({ start, size }) => start + size / 2)
  const ticks: { readonly ms: number; readonly at: number }[] = []
  for (const { from, to, isFolded } of pieces) {
    if (isFolded || step <= 0) continue
    for (let ms = Math.ceil((from - zero) / step) * step; ms <= to - zero; ms += step) {
      const at = place(zero + ms)
      if (at > 1 - APART / 2 || taken.some((other) => Math.abs(other - at) < APART)) continue
      ticks.push({ ms, at })
      taken.push(at)
    }
  }
  return ticks
}
