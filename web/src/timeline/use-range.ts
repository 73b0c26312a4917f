/** Which part of the time is shown: in the address, in milliseconds after the first event (`?range=1200-5300`). */
import { setQuery, useAddress } from '../address/address.ts'
import type { Range } from './time-scale.ts'

export interface ShownRange {
  /** Undefined: all. */
  readonly range: Range | undefined
  readonly show: (range: Range | undefined) => void
}

/** Less would show nothing. */
const SHORTEST_MS = 2

export function useRange(first: number, last: number): ShownRange {
  const [, begin, end] = /^(\d+)-(\d+)$/.exec(useAddress().query.get('range') ?? '') ?? []
  const [from, to] = [first + Number(begin), first + Number(end)]
  const range = to - from >= SHORTEST_MS && from < last ? { from, to } : undefined
  return {
    range,
    show: (wanted) => {
      const text = wanted === undefined ? undefined : textOf(wanted, first, last)
      setQuery({ range: text }, 'step')
    },
  }
}

/** Undefined: it is all there is. */
function textOf({ from, to }: Range, first: number, last: number): string | undefined {
  const begin = Math.max(0, Math.round(from - first))
  const end = Math.min(Math.ceil(last - first), Math.max(begin + SHORTEST_MS, Math.round(to - first)))
  return begin === 0 && end >= last - first ? undefined : `${begin}-${end}`
}

/** Half or twice as much time around an instant, which stays where it is. */
export function zoomed(shown: Range, around: number, factor: number): Range {
  const middle = Math.min(shown.to, Math.max(shown.from, around))
  return { from: middle - (middle - shown.from) * factor, to: middle + (shown.to - middle) * factor }
}
