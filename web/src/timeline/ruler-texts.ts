/** What is written on the ruler, and where, so that no two texts meet: how long a fold is comes first, then the round times that have room. */
import { duration } from '../shown/words.ts'
import type { TimeScale } from './time-scale.ts'

export interface RulerText {
  readonly key: string
  readonly text: string
  /** In pixels. */
  readonly left: number
  readonly isIdle: boolean
}

const CHAR_PX = 6.7
const APART_PX = 8
const TICK_PADDING_PX = 3

export function rulerTexts({ ticks, idle }: Pick<TimeScale, 'ticks' | 'idle'>, width: number): readonly RulerText[] {
  const placed: (RulerText & { readonly right: number })[] = []
  const place = (one: Omit<RulerText, 'left'>, wanted: number, shift: boolean): void => {
    const size = one.text.length * CHAR_PX
    const left = shift ? Math.max(0, Math.min(wanted, width - size)) : wanted
    const right = left + size
    const meets = placed.some((other) => left < other.right + APART_PX && right + APART_PX > other.left)
    if (!meets && right <= width + APART_PX) placed.push({ ...one, left, right })
  }
  for (const { from, to, at } of idle) {
    const text = `⋯ ${duration(to - from)} ⋯`
    place({ key: `idle ${from}`, text, isIdle: true }, at * width - (text.length * CHAR_PX) / 2, true)
  }
  for (const { ms, at } of ticks)
    place({ key: `tick ${ms}`, text: ms === 0 ? '0' : short(ms), isIdle: false }, at * width + TICK_PADDING_PX, false)
  return placed.map(({ right: _right, ...text }) => text)
}

/** `2 s`, not `2.0 s`. */
function short(ms: number): string {
  return duration(ms).replace('.0 ', ' ')
}
