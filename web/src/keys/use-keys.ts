/** Single keys that do something, while nobody is writing in a field. */
import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isWriting(event)) return
      const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key
      const act = Object.hasOwn(latest.current, name) ? latest.current[name] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}

/** A field takes its keys itself; so do buttons and links their own Enter. */
function isWriting({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.matches('input:not([type=range]), textarea, select')) return key !== 'Escape'
  return key === 'Enter' && target.matches('a, button')
}
