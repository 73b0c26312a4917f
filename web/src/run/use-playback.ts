/**
 * Plays a run as it happened, from 1 to 100 times as fast. A stretch in which nothing happened for long is passed in a moment, and
 * the bar says how long it was.
 */
import { useEffect, useRef, useState } from 'react'
import { setQuery, useAddress } from '../address/address.ts'
import type { RunHistory } from '../history/run-history.ts'
import { goToEvent, type Moment } from '../history/use-moment.ts'

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100] as const
const USUAL = 10
/** No wait takes longer on the screen. */
const LONGEST_MS = 700
/** A run that took a moment is not over in one: so long for each event, and so long in all, at the usual speed. */
const EVENT_MS = 60
const RUN_MS = 4_000
/** What would take longer than this at the chosen speed is told as shortened. */
const TOLD_MS = 2_000

export interface Playback {
  readonly isPlaying: boolean
  readonly play: (wanted: boolean) => void
  readonly speed: number
  readonly setSpeed: (speed: number) => void
  /** How long the wait that is passed just now was. */
  readonly folded: number | undefined
}

export function usePlayback(history: RunHistory, lastSeq: number, { seq, isNow }: Moment): Playback {
  const [isPlaying, setPlaying] = useState(false)
  const asked = Number(useAddress().query.get('speed'))
  const speed = SPEEDS.find((one) => one === asked) ?? USUAL
  const gap = isPlaying && !isNow ? gapAfter(history, seq) : 0
  // Of a live run it moves all the time: a wait that began anew with every event would never end.
  const last = useRef(lastSeq)
  useEffect(() => {
    last.current = lastSeq
  })
  useEffect(() => {
    if (!isPlaying) return undefined
    if (isNow) {
      setPlaying(false)
      return undefined
    }
    const began = performance.now()
    const shortest = Math.min(EVENT_MS, RUN_MS / last.current) * Math.min(1, USUAL / speed)
    const wait = Math.min(LONGEST_MS, Math.max(shortest, gap / speed))
    let frame = 0
    const step = (): void => {
      const passed = performance.now() - began
      if (passed < wait) {
        frame = requestAnimationFrame(step)
        return
      }
      const next = reached(history, seq, (passed - wait) * speed)
      goToEvent(next >= last.current ? undefined : next)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, isNow, seq, history, speed, gap])
  const play = (wanted: boolean): void => {
    // From now there is nothing to play: it begins at the first event.
    if (wanted && isNow) goToEvent(1)
    setPlaying(wanted)
  }
  const setSpeed = (wanted: number): void => setQuery({ speed: wanted === USUAL ? undefined : String(wanted) })
  return { isPlaying, play, speed, setSpeed, folded: gap / speed > TOLD_MS ? gap : undefined }
}

function gapAfter(history: RunHistory, seq: number): number {
  const at = history.countAt(seq)
  return Math.max(0, (history.instants[at] ?? 0) - (history.instants[at - 1] ?? 0))
}

/** The event after `seq`, and with it all that followed it within `ms`: a picture may show many at once. */
function reached(history: RunHistory, seq: number, ms: number): number {
  const { records, instants } = history
  let at = history.countAt(seq)
  const until = (instants[at] ?? 0) + ms
  while (at + 1 < records.length && (instants[at + 1] ?? 0) <= until) at += 1
  return records[at]?.runSeq ?? seq + 1
}
