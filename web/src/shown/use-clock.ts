/** The time by the server's clock, for what says how long ago something was or how long it has lasted. */
import { useEffect, useState } from 'react'
import { serverNow } from '../server/server-clock.ts'

/** Moves only while something on the page does. */
export function useClock(isMoving: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => setNow(serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [isMoving, everyMs])
  return now
}
