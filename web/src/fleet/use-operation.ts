/** An operation on many runs, asked for again until it has ended. */
import { useEffect, useState } from 'react'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { getOperation } from '../../../src/core/api/fleet.ts'
import { session as sessions } from '../server/session.ts'
import { tryUntil } from '../server/try-until.ts'
import { useWatched } from '../server/watched.ts'

export type Operation = AnswerOf<typeof getOperation>['operation']

export interface Followed {
  readonly told?: AnswerOf<typeof getOperation>
  readonly error?: unknown
  readonly again: () => void
}

const EVERY_MS = 500

/** Runs that have the signal in their inbox take it a moment later: what they make of it belongs to the result. */
const isMoving = ({ state, left }: Operation): boolean => state === 'RUNNING' || left > 0

export function useOperation(operationId: string): Followed {
  const { client } = useWatched(sessions)
  const [followed, setFollowed] = useState<Omit<Followed, 'again'>>({})
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    let next: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      const told = await client.call('getOperation', { params: { operationId }, signal: leaving.signal })
      setFollowed({ told })
      if (isMoving(told.operation)) next = setTimeout(follow, EVERY_MS)
    }
    const follow = (): void =>
      void tryUntil(look, leaving.signal, (error) => setFollowed((before) => ({ ...before, error })))
    follow()
    return () => {
      leaving.abort()
      clearTimeout(next)
    }
  }, [client, operationId, asked])
  return { ...followed, again: () => setAsked((at) => at + 1) }
}
