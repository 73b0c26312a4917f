/** What a page asks of the server: asked when it opens, again when the runs of the tenant move, and once in a while for what no stream tells. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client } from '../../../src/client/connect.ts'
import { session as sessions } from './session.ts'
import { followTenant } from './tenant-moves.ts'
import { useWatched } from './watched.ts'

export interface Asked<T> {
  /** Undefined until the first answer. */
  readonly value: T | undefined
  readonly error: unknown
  readonly again: () => void
}

const EVERY_MS = 5_000
/** Runs move in bursts: one question for many moves. */
const AFTER_MOVE_MS = 400

/** `key` says what is asked: another one is another question. */
export function useAsked<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): Asked<T> {
  const { client, connection } = useWatched(sessions)
  const [read, setRead] = useState<{ readonly key: string; readonly value?: T; readonly error?: unknown }>({ key })
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  const asking = useRef<AbortController>(undefined)
  const again = useCallback((): void => {
    asking.current?.abort()
    const { signal } = (asking.current = new AbortController())
    latest.current(client, signal).then(
      (value) => setRead({ key, value }),
      (error: unknown) => {
        if (!signal.aborted) setRead((before) => ({ ...(before.key === key ? before : { key }), error }))
      },
    )
  }, [client, key])
  useEffect(() => {
    const leaving = new AbortController()
    let soon: ReturnType<typeof setTimeout> | undefined
    const moved = (): void => {
      soon ??= setTimeout(() => {
        soon = undefined
        again()
      }, AFTER_MOVE_MS)
    }
    again()
    // A stream that is refused leaves the clock: the question itself is refused, too, and says so.
    void followTenant(connection, { moved, resync: () => undefined }, leaving.signal).catch(() => undefined)
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again()
    }, EVERY_MS)
    return () => {
      leaving.abort()
      clearInterval(timer)
      clearTimeout(soon)
      asking.current?.abort()
    }
  }, [again, connection])
  return { value: read.key === key ? read.value : undefined, error: read.key === key ? read.error : undefined, again }
}
