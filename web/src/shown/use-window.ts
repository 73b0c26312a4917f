/** Which part of a long or wide thing is on the screen, so that only that part is drawn. */
import { useLayoutEffect, useState, type RefObject } from 'react'

export interface Seen {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** `step`: it is told anew only after so many pixels, so that scrolling draws seldom. */
export function useWindow(box: RefObject<HTMLElement | null>, first: Seen, step = 1): Seen {
  const [seen, setSeen] = useState(first)
  useLayoutEffect(() => {
    const at = box.current
    if (at === null) return undefined
    const down = (value: number): number => Math.floor(value / step) * step
    const look = (): void => {
      const now = { left: down(at.scrollLeft), top: down(at.scrollTop), width: at.clientWidth, height: at.clientHeight }
      setSeen((before) => (isSame(before, now) ? before : now))
    }
    const size = new ResizeObserver(look)
    size.observe(at)
    at.addEventListener('scroll', look, { passive: true })
    return () => {
      size.disconnect()
      at.removeEventListener('scroll', look)
    }
  }, [box, step])
  return seen
}

function isSame(a: Seen, b: Seen): boolean {
  return a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height
}
