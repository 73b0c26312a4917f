/** Opens the palette, by ⌘K, Ctrl K or its button. It is loaded when it is first opened. */
import { Suspense, useEffect, useState, type ReactElement } from 'react'
import { part } from '../server/part.ts'

const Palette = part(async () => (await import('./palette.tsx')).Palette)

export function PaletteDoor(): ReactElement {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
  return (
    <>
      <button type="button" className="small" title="⌘K or Ctrl K" aria-label="Find" onClick={() => setOpen(true)}>
        ⌕
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
