/** A bundle may be dropped anywhere on the page. What opens it is loaded ahead, so that it works when the server is gone. */
import { useEffect, useState, type ReactElement } from 'react'
import { showBundle } from './bundle-file.ts'
import '../styles/bundle.css'

/** After what the page itself needs first. */
const AHEAD_MS = 1_000

export function DropPlace(): ReactElement | null {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const ahead = setTimeout(() => void import('./bundle-page.tsx').catch(() => undefined), AHEAD_MS)
    return () => clearTimeout(ahead)
  }, [])
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const left = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const dropped = (event: DragEvent): void => {
      setOver(false)
      const file = event.dataTransfer?.files[0]
      if (file === undefined) return
      event.preventDefault()
      showBundle(file)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', left)
    window.addEventListener('drop', dropped)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', left)
      window.removeEventListener('drop', dropped)
    }
  }, [])
  return isOver ? (
    <p className="drop-place" role="status">
      Drop a bundle to open it here. Nothing of it is sent anywhere.
    </p>
  ) : null
}
