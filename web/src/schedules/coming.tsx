/** When the times in a form would come, or what is wrong with them: as the server tells it, while one types. */
import { useEffect, useState, type ReactElement } from 'react'
import { sayWhen } from '../../../src/core/schedule/say-when.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import type { Times } from './schedule-draft.ts'
import { Occurrence } from './occurrence.tsx'

export interface Coming {
  readonly next?: readonly string[]
  readonly error?: unknown
}

/** Whoever types has not finished after each letter. */
const SETTLE_MS = 300

export function useComing(times: Times | undefined): Coming {
  const { client } = useWatched(sessions)
  const [told, setTold] = useState<Coming & { readonly of: string }>({ of: '' })
  const of = times === undefined ? '' : JSON.stringify(times)
  useEffect(() => {
    if (of === '') return undefined
    const leaving = new AbortController()
    const settling = setTimeout(() => {
      client.call('previewSchedule', { body: JSON.parse(of) as Times, signal: leaving.signal }).then(
        ({ next }) => setTold({ of, next }),
        (error: unknown) => (leaving.signal.aborted ? undefined : setTold({ of, error })),
      )
    }, SETTLE_MS)
    return () => {
      clearTimeout(settling)
      leaving.abort()
    }
  }, [client, of])
  return told.of === of ? told : {}
}

/** The fields that the server names in what it refuses. */
export function wrongFields(error: unknown): ReadonlySet<string> {
  const problems = error instanceof KeelsonError ? error.problems : []
  return new Set(problems.map(({ pointer = '' }) => pointer.slice(1)))
}

const SHOWN = 5

export function ComingList({ coming, times }: { readonly coming: Coming; readonly times: Times }): ReactElement {
  const { next, error } = coming
  return (
    <section className="preview" aria-label="When it comes" aria-live="polite" aria-busy={next === error}>
      {next === undefined && error === undefined ? <p className="quiet">Looking when it comes …</p> : null}
      {error === undefined ? null : <WhyNot error={error} />}
      {next === undefined ? null : (
        <>
          <p>{sayWhen(times)}</p>
          <ol className="instants">
            {next.slice(0, SHOWN).map((at) => (
              <li key={at}>
                <Occurrence at={at} zone={times.zone} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  )
}

/** What is not finished yet is no alarm. */
function WhyNot({ error }: { readonly error: unknown }): ReactElement {
  if (!(error instanceof KeelsonError) || error.problems[0].retryable) return <Trouble error={error} />
  return (
    <>
      {error.problems.map(({ message }) => (
        <p key={message} className="hint">
          {message}
        </p>
      ))}
    </>
  )
}
