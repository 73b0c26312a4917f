/** A wait before the next connection that ends early when a server that was away is back. */
import type { Watched } from './watched.ts'

/** `look` asks whether the server is there, and notes it; who comes back at once finds out by itself. */
export function patientSleep(
  isHere: Watched<boolean>,
  look: () => void,
): (ms: number, signal?: AbortSignal) => Promise<void> {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      let wasAway = !isHere.get()
      const end = (): void => {
        clearTimeout(timer)
        unwatch()
        signal?.removeEventListener('abort', left)
      }
      const left = (): void => {
        end()
        reject(signal?.reason as Error)
      }
      const done = (): void => {
        end()
        resolve()
      }
      const timer = setTimeout(done, ms)
      const unwatch = isHere.subscribe(() => {
        if (isHere.get() && wasAway) done()
        wasAway ||= !isHere.get()
      })
      signal?.addEventListener('abort', left, { once: true })
      if (ms > 0) look()
    })
}
