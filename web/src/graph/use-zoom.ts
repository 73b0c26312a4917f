/**
 * How large the graph is drawn, and which folds are open: in the address, as all of the page. What is in the middle of the pane stays
 * there when it grows; a fold that opens stays where it is.
 */
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { setQuery, useAddress } from '../address/address.ts'

const LARGEST = 2
const SMALLEST = 0.05
const STEP = 1.25
/** A wide graph is drawn smaller, and scrolls where its names could not be read any more. */
const READABLE = 0.7

export interface Zoom {
  readonly scale: number
  readonly isFitted: boolean
  readonly by: (factor: number) => void
  readonly to: (scale: number | undefined) => void
}

export const ZOOM_STEP = STEP

export function useZoom(pane: RefObject<HTMLElement | null>, paneWidth: number, width: number): Zoom {
  const asked = Number(useAddress().query.get('zoom') ?? 'none')
  const isFitted = !(asked > 0)
  const scale = isFitted ? Math.min(1, Math.max(READABLE, paneWidth / Math.max(1, width))) : bounded(asked)
  const before = useRef(scale)
  /** Where in the pane, in parts of it, the drawing stays as it is. */
  const anchor = useRef({ x: 0.5, y: 0.5 })
  useLayoutEffect(() => {
    const box = pane.current
    if (box === null || before.current === scale) return
    const factor = scale / before.current
    const [x, y] = [anchor.current.x * box.clientWidth, anchor.current.y * box.clientHeight]
    box.scrollTo((box.scrollLeft + x) * factor - x, (box.scrollTop + y) * factor - y)
    before.current = scale
    anchor.current = { x: 0.5, y: 0.5 }
  }, [pane, scale])
  const to = (wanted: number | undefined): void =>
    setQuery({ zoom: wanted === undefined ? undefined : bounded(wanted).toFixed(3).replace(/0+$/, '') })
  const by = (factor: number): void => to(scale * factor)
  const latest = useRef(by)
  useEffect(() => {
    latest.current = by
  })
  useEffect(() => {
    const box = pane.current
    if (box === null) return undefined
    // A pinch comes as a wheel with ctrl; without it the wheel scrolls as everywhere.
    const turned = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const place = box.getBoundingClientRect()
      anchor.current = { x: (event.clientX - place.left) / place.width, y: (event.clientY - place.top) / place.height }
      latest.current(Math.exp(-event.deltaY / 300))
    }
    box.addEventListener('wheel', turned, { passive: false })
    return () => box.removeEventListener('wheel', turned)
  }, [pane])
  return { scale, isFitted, by, to }
}

function bounded(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale))
}
