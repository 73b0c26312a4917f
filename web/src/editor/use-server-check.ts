/** What only the server checks: expressions, schemas, and whether the plan may be published here. It is asked when the core has nothing to say. */
import { useEffect, useState } from 'react'
import { KeelsonError, type Problem } from '../../../src/core/problems/problem.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import type { Reading } from './use-reading.ts'

export interface ServerCheck {
  /** `no`: it was not asked, because the core has problems. */
  readonly state: 'no' | 'asking' | 'done'
  /** With a place in the text. */
  readonly problems: readonly Problem[]
  /** Why it could not check. */
  readonly error?: unknown
}

const AFTER_MS = 400
const NOT_ASKED: ServerCheck = { state: 'no', problems: [] }

export function useServerCheck({ text, plan }: Reading): ServerCheck {
  const { client } = useWatched(sessions)
  const [told, setTold] = useState<{ readonly text: string; readonly check: ServerCheck }>()
  const isSound = plan !== undefined
  useEffect(() => {
    if (!isSound) return undefined
    const leaving = new AbortController()
    const tell = (check: Omit<ServerCheck, 'state'>): void => {
      if (!leaving.signal.aborted) setTold({ text, check: { state: 'done', ...check } })
    }
    const timer = setTimeout(() => {
      client.call('publishPlan', { body: { text, check: true }, signal: leaving.signal }).then(
        () => tell({ problems: [] }),
        (error: unknown) => tell(isOfText(error) ? { problems: error.problems } : { problems: [], error }),
      )
    }, AFTER_MS)
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [client, text, isSound])
  if (!isSound) return NOT_ASKED
  return told?.text === text ? told.check : { state: 'asking', problems: [] }
}

function isOfText(error: unknown): error is KeelsonError {
  return (
    error instanceof KeelsonError &&
    error.problems.every(({ at, pointer }) => at !== undefined || pointer !== undefined)
  )
}
