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

type Ask<T> = (client: Client, signal: AbortSignal) => Promise<T>

/**
 * `key` says what is asked: another one is another question, and `undefined` asks nothing. `hears`: what no move of a run tells is asked
 * by the clock alone.
 */
export function useAsked<T>(key: string | undefined, ask: Ask<T>, hears: 'moves' | 'clock' = 'moves'): Asked<T> {
  const { connection } = useWatched(sessions)
  const { read, again, leave } = useOneAnswer(key, ask)
  useEffect(() => {
    if (key === undefined) return undefined
    const leaving = new AbortController()
    let soon: ReturnType<typeof setTimeout> | undefined
    const moved = (): void => {
      soon ??= setTimeout(() => {
        soon = undefined
        again()
      }, AFTER_MOVE_MS)
    }
    // The first is said where the stream begins, when the question was just asked.
    let hasBegun = false
    const resync = (): void => {
      if (hasBegun) moved()
      hasBegun = true
    }
    again()
    // A stream that is refused leaves the clock: the question itself is refused, too, and says so.
    if (hears === 'moves') void followTenant(connection, { moved, resync }, leaving.signal).catch(() => undefined)
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again()
    }, EVERY_MS)
    return () => {
      leaving.abort()
      clearInterval(timer)
      clearTimeout(soon)
      leave()
    }
  }, [again, leave, connection, key, hears])
  return { ...(read.key === key ? { value: read.value, error: read.error } : NOTHING), again }
}

const NOTHING = { value: undefined, error: undefined }

interface Read<T> {
  readonly key: string | undefined
  readonly value?: T
  readonly error?: unknown
}

interface OneAnswer<T> {
  readonly read: Read<T>
  readonly again: () => void
  readonly leave: () => void
}

/** Who asks while an answer is on its way is told that one first: what changes all the time would never be shown. */
function useOneAnswer<T>(key: string | undefined, ask: Ask<T>): OneAnswer<T> {
  const { client } = useWatched(sessions)
  const [read, setRead] = useState<Read<T>>({ key })
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  const asking = useRef<{ readonly left: AbortController; isDue: boolean }>(undefined)
  const again = useCallback((): void => {
    if (asking.current !== undefined) {
      asking.current.isDue = true
      return
    }
    const mine = (asking.current = { left: new AbortController(), isDue: false })
    const { signal } = mine.left
    const failed = (error: unknown): void =>
      setRead((before) => ({ ...(before.key === key ? before : { key }), error }))
    latest
      .current(client, signal)
      .then(
        (value) => signal.aborted || setRead({ key, value }),
        (error: unknown) => signal.aborted || failed(error),
      )
      .finally(() => {
        if (signal.aborted) return
        asking.current = undefined
        if (mine.isDue) again()
      })
  }, [client, key])
  const leave = useCallback((): void => {
    asking.current?.left.abort()
    asking.current = undefined
  }, [])
  return { read, again, leave }
}
