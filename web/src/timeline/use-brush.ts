/** A part of the timeline chosen by dragging over it with the mouse; a double click gives all of it back. Buttons and keys do the same. */
import { useEffect, useRef, useState, type RefObject } from 'react'

/** From 0 to 1 of the bars. */
export interface Brushed {
  readonly from: number
  readonly to: number
}

const SHORTEST_PX = 5

/** `bars`: what is dragged over; its width is that of the scale. */
export function useBrush(
  lanes: RefObject<HTMLElement | null>,
  bars: RefObject<HTMLElement | null>,
  chosen: (part: Brushed | undefined) => void,
): Brushed | undefined {
  const [brushed, setBrushed] = useState<Brushed>()
  const latest = useRef(chosen)
  useEffect(() => {
    latest.current = chosen
  })
  useEffect(() => {
    const box = lanes.current
    if (box === null) return undefined
    let begun: number | undefined
    let part: Brushed | undefined
    const placeOf = (event: MouseEvent): number => {
      const { left, width } = bars.current?.getBoundingClientRect() ?? box.getBoundingClientRect()
      return Math.min(1, Math.max(0, (event.clientX - left) / Math.max(1, width)))
    }
    const isLong = (from: number, to: number): boolean =>
      Math.abs(to - from) * (bars.current?.clientWidth ?? 0) >= SHORTEST_PX
    const down = (event: PointerEvent): void => {
      if (event.button === 0 && event.pointerType === 'mouse') begun = placeOf(event)
    }
    const move = (event: PointerEvent): void => {
      if (begun === undefined) return
      const at = placeOf(event)
      if (part === undefined && !isLong(begun, at)) return
      box.setPointerCapture(event.pointerId)
      part = { from: Math.min(begun, at), to: Math.max(begun, at) }
      setBrushed(part)
    }
    const up = (): void => {
      if (part !== undefined && isLong(part.from, part.to)) {
        latest.current(part)
        // The click that ends a drag chooses no step.
        box.addEventListener('click', stop, { capture: true, once: true })
        setTimeout(() => box.removeEventListener('click', stop, { capture: true }))
      }
      begun = part = undefined
      setBrushed(undefined)
    }
    const stop = (event: Event): void => event.stopPropagation()
    const back = (): void => latest.current(undefined)
    const handlers = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, dblclick: back }
    for (const [name, handler] of Object.entries(handlers)) box.addEventListener(name, handler as EventListener)
    return () => {
      for (const [name, handler] of Object.entries(handlers)) box.removeEventListener(name, handler as EventListener)
    }
  }, [lanes, bars])
  return brushed
}
