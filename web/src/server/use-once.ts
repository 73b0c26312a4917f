/** What a page asks of the server once: what does not change while somebody looks at it. */
import { useEffect, useRef, useState } from 'react'
import type { Client } from '../../../src/client/connect.ts'
import { session as sessions } from './session.ts'
import { tryUntil } from './try-until.ts'
import { useWatched } from './watched.ts'

export interface Once<T> {
  /** Undefined until the answer, which is that of this very key. */
  readonly value: T | undefined
  readonly error: unknown
}

/** Another `key` is another question; `undefined` asks nothing. */
export function useOnce<T>(key: string | undefined, ask: (client: Client, signal: AbortSignal) => Promise<T>): Once<T> {
  const { client } = useWatched(sessions)
  const [read, setRead] = useState<{ readonly key?: string; readonly value?: T; readonly error?: unknown }>({})
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  useEffect(() => {
    if (key === undefined) return undefined
    const leaving = new AbortController()
    const look = async (): Promise<void> => {
      const value = await latest.current(client, leaving.signal)
      if (!leaving.signal.aborted) setRead({ key, value })
    }
    void tryUntil(look, leaving.signal, (error) => setRead({ key, error }))
    return () => leaving.abort()
  }, [client, key])
  return read.key === key ? { value: read.value, error: read.error } : { value: undefined, error: undefined }
}
