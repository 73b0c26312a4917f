/** Opens the palette, by ⌘K, Ctrl K or its button. It is loaded when it is first opened. */
import { Suspense, useEffect, useState, type ReactElement } from 'react'
import { part } from '../server/part.ts'
import { NotYet } from '../shown/not-yet.tsx'

const Palette = part(async () => (await import('./palette.tsx')).Palette)

const KEY = navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K'

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
      <button
        type="button"
        className="small find"
        title={`${KEY} finds runs, plans, steps, pages and acts`}
        onClick={() => setOpen(true)}
      >
        <svg className="mark" width={13} height={13} viewBox="0 0 16 16" aria-hidden="true">
          <path d="M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zM10.4 10.4l3.4 3.4" />
        </svg>
        <span className="words">Find</span>
        <kbd>{KEY}</kbd>
      </button>
      {isOpen ? (
        <Suspense fallback={<NotYet onLeave={() => setOpen(false)} />}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
