/** The run of the page, as far as it has arrived. What arrives within one picture of the screen is shown at once. */
import { useEffect, useState } from 'react'
import type { Session } from '../server/session.ts'
import { tryUntil } from '../server/try-until.ts'
import { loadRun, type LoadedRun } from './load-run.ts'

export interface ShownRun {
  readonly run?: LoadedRun
  /** Changes whenever events have arrived. */
  readonly lastSeq: number
  readonly error?: unknown
}

const NOTHING: ShownRun = { lastSeq: 0 }

export function useRun(session: Session, executionId: string): ShownRun {
  const [shown, setShown] = useState<ShownRun>(NOTHING)
  useEffect(() => {
    const leaving = new AbortController()
    let waiting: LoadedRun | undefined
    let frame = 0
    const show = (): void => {
      frame = 0
      if (waiting !== undefined) setShown({ run: waiting, lastSeq: waiting.history.lastSeq })
    }
    setShown(NOTHING)
    const load = (): Promise<void> =>
      loadRun(session, executionId, leaving.signal, (run) => {
        waiting = run
        if (frame === 0) frame = requestAnimationFrame(show)
      })
    void tryUntil(load, leaving.signal, (error) => setShown((before) => ({ ...before, error })))
    return () => {
      leaving.abort()
      cancelAnimationFrame(frame)
    }
  }, [session, executionId])
  return shown
}
