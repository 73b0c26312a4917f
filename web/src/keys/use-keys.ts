/** Keys that do something, while nobody is writing in a field: single ones, and two one after the other (`g r`). */
import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

/** The first key of two, and the key press after it, which belongs to it for every part of the page that listens. */
let first: { readonly key: string; readonly pressed: KeyboardEvent; second?: KeyboardEvent } | undefined
const SECOND_WITHIN_MS = 1_500

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (isCommand(event) || isWriting(event)) return
      const name = nameOf(event)
      if (first === undefined && Object.keys(latest.current).some((one) => one.startsWith(`${name} `)))
        first = { key: name, pressed: event }
      if (event.defaultPrevented) return
      const act = Object.hasOwn(latest.current, name) ? latest.current[name] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}

/** On many keyboards `[` is written with AltGr, which some systems tell as Ctrl and Alt. */
function isCommand(event: KeyboardEvent): boolean {
  return (event.metaKey || event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph')
}

function nameOf(event: KeyboardEvent): string {
  const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key
  if (first === undefined || first.pressed === event) return name
  first.second ??= event
  const isSecond = first.second === event && event.timeStamp - first.pressed.timeStamp < SECOND_WITHIN_MS
  if (isSecond) return `${first.key} ${name}`
  first = undefined
  return name
}

/** A field and an open dialog take their keys themselves; so do buttons and links their own Enter. */
function isWriting({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  // A click beside the fields of a dialog leaves the focus with the page below it.
  if (document.querySelector('dialog:modal') !== null) return true
  if (target.matches('input:not([type=range]), textarea, select')) return key !== 'Escape'
  return key === 'Enter' && target.matches('a, button')
}
