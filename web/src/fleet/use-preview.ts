/**
 * What a signal to all runs that match would do, asked of the server whenever the signal changes. The reason is a part of the signal: a
 * preview is only good for the very one that it was made for.
 */
import { useEffect, useState } from 'react'
import type { AnswerOf, BodyOf } from '../../../src/core/api/contract.ts'
import type { previewOperation } from '../../../src/core/api/fleet.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export type Preview = AnswerOf<typeof previewOperation>
export type FleetSignal = BodyOf<typeof previewOperation>

export interface Previewed {
  readonly preview?: Preview
  /** Whether it is that of the signal as it stands now. */
  readonly isCurrent: boolean
  readonly error?: unknown
  readonly again: () => void
}

/** Whoever types has not finished after each letter. */
const SETTLE_MS = 250

export function usePreview(signal: FleetSignal): Previewed {
  const { client } = useWatched(sessions)
  const [told, setTold] = useState<{ readonly of: string; readonly preview?: Preview; readonly error?: unknown }>()
  const [asked, setAsked] = useState(0)
  const text = JSON.stringify(signal)
  const of = `${asked} ${text}`
  useEffect(() => {
    const leaving = new AbortController()
    const ask = (): void => {
      const body = JSON.parse(text) as FleetSignal
      client.call('previewOperation', { body, signal: leaving.signal }).then(
        (preview) => setTold({ of, preview }),
        (error: unknown) => {
          if (!leaving.signal.aborted) setTold({ of, error })
        },
      )
    }
    const settling = setTimeout(ask, SETTLE_MS)
    return () => {
      clearTimeout(settling)
      leaving.abort()
    }
  }, [client, text, of])
  return { ...told, isCurrent: told?.of === of && told.preview !== undefined, again: () => setAsked((at) => at + 1) }
}
