/** Dragging the ground of a pane with the mouse moves it. Fingers, wheels and keys scroll it as anything that scrolls. */
import { useEffect, useRef, type RefObject } from 'react'

export function usePan(pane: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = pane.current
    if (box === null) return undefined
    let from: { readonly x: number; readonly y: number } | undefined
    const down = (event: PointerEvent): void => {
      const isGround = event.target instanceof Element && event.target.closest('.node, button, input') === null
      if (event.button !== 0 || event.pointerType !== 'mouse' || !isGround) return
      from = { x: box.scrollLeft + event.clientX, y: box.scrollTop + event.clientY }
      box.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent): void => {
      if (from !== undefined) box.scrollTo(from.x - event.clientX, from.y - event.clientY)
    }
    const up = (): void => {
      from = undefined
    }
    box.addEventListener('pointerdown', down)
    box.addEventListener('pointermove', move)
    box.addEventListener('pointerup', up)
    box.addEventListener('pointercancel', up)
    return () => {
      box.removeEventListener('pointerdown', down)
      box.removeEventListener('pointermove', move)
      box.removeEventListener('pointerup', up)
      box.removeEventListener('pointercancel', up)
    }
  }, [pane])
}

/** A click on what is drawn without names, in pixels of the drawing. By keys the same is found by its name. */
export function useFarClick(
  pane: RefObject<HTMLElement | null>,
  isFar: boolean,
  clicked: (x: number, y: number) => void,
): void {
  const latest = useRef(clicked)
  useEffect(() => {
    latest.current = clicked
  })
  useEffect(() => {
    const box = pane.current
    if (box === null || !isFar) return undefined
    const click = (event: MouseEvent): void => {
      const place = box.querySelector('svg')?.getBoundingClientRect()
      if (place !== undefined) latest.current(event.clientX - place.left, event.clientY - place.top)
    }
    box.addEventListener('click', click)
    return () => box.removeEventListener('click', click)
  }, [pane, isFar])
}
