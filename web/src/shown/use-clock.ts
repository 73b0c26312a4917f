/** The time, for what says how long ago something was or how long it has lasted. */
import { useEffect, useState } from 'react'

/** Moves only while something on the page does. */
export function useClock(isMoving: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [isMoving, everyMs])
  return now
}
