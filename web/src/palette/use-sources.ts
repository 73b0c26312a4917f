/** What the palette looks through: the last runs and the plans, asked once when it opens, and runs that the text itself asks for. */
import { useEffect, useState } from 'react'
import type { Client, ExecutionState } from '../../../src/client/connect.ts'
import { readRunFilter } from '../../../src/core/filter/run-filter.ts'
import { offered } from '../keys/offered.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import type { Sources } from './found.ts'

const MOST_RUNS = 50
const MOST_PLANS = 100
const MOST_CHOSEN = 8
/** Somebody who types goes on typing. */
const SETTLED_MS = 150
const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

export interface Looked {
  readonly sources: Sources
  readonly isLooking: boolean
  readonly error?: unknown
}

type Runs = readonly ExecutionState[]

export function useSources(text: string): Looked {
  const { client } = useWatched(sessions)
  const [known, setKnown] = useState<Pick<Sources, 'runs' | 'plans'>>()
  const [error, setError] = useState<unknown>()
  const [offers] = useState(() => offered.get()())
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    Promise.all([
      client.call('listExecutions', { query: { limit: MOST_RUNS }, signal }),
      client.call('listPlans', { query: { limit: MOST_PLANS }, signal }),
    ]).then(
      ([{ executions }, { plans }]) => setKnown({ runs: executions, plans }),
      (thrown: unknown) => {
        if (!signal.aborted) setError(thrown)
      },
    )
    return () => leaving.abort()
  }, [client])
  const plans = known?.plans ?? []
  const asked = questionOf(
    text,
    plans.map(({ planId }) => planId),
  )
  const chosen = useChosen(client, asked)
  const ids = new Set(chosen.map(({ executionId }) => executionId))
  const others = (known?.runs ?? []).filter(({ executionId }) => !ids.has(executionId))
  const sources = { offers, plans, chosen: ids, runs: [...chosen, ...others] }
  return { sources, isLooking: known === undefined && error === undefined, error }
}

/** What the text asks of the server, as JSON; undefined: nothing that is not known. */
function questionOf(text: string, plans: readonly string[]): string | undefined {
  const { asked, words } = readRunFilter(text)
  if (Object.keys(asked).length > 0) return JSON.stringify(asked)
  const [word = ''] = words
  if (WHOLE_ID.test(word)) return JSON.stringify({ executionId: word })
  if (/^[^=]+=./.test(word)) return JSON.stringify({ label: [text.trim()] })
  const planId = plans.find((one) => one.toLowerCase() === word)
  return planId === undefined ? undefined : JSON.stringify({ planId })
}

function useChosen(client: Client, asked: string | undefined): Runs {
  const [found, setFound] = useState<{ readonly asked: string; readonly runs: Runs }>()
  useEffect(() => {
    if (asked === undefined) return undefined
    const leaving = new AbortController()
    const timer = setTimeout(() => {
      ask(client, asked, leaving.signal).then(
        (runs) => setFound({ asked, runs }),
        // What is not there, or is half typed, finds nothing.
        () => (leaving.signal.aborted ? undefined : setFound({ asked, runs: [] })),
      )
    }, SETTLED_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [client, asked])
  return found !== undefined && found.asked === asked ? found.runs : []
}

async function ask(client: Client, asked: string, signal: AbortSignal): Promise<Runs> {
  const { executionId, ...filter } = JSON.parse(asked) as { readonly executionId?: string }
  if (executionId !== undefined)
    return [await client.call('getExecution', { params: { executionId }, query: { with: ['row'] }, signal })]
  return (await client.call('listExecutions', { query: { ...filter, limit: MOST_CHOSEN }, signal })).executions
}
