/** The last runs of the chosen plan, oldest first: how long each took as its height, its state as colour and shape. The odd one stands out. */
import { useEffect, useState, type ReactElement } from 'react'
import type { ExecutionState } from '../../../src/client/connect.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { ago, duration, shortId } from '../shown/words.ts'

const MOST_RUNS = 40
const HIGHEST_PX = 36
const LOWEST_PX = 3

export interface RunStripProps {
  readonly planId: string
  /** The list beside it: the strip is read anew when that was. */
  readonly listed: readonly ExecutionState[]
  readonly now: number
}

export function RunStrip({ planId, listed, now }: RunStripProps): ReactElement | null {
  const { client } = useWatched(sessions)
  const [runs, setRuns] = useState<readonly ExecutionState[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    client.call('listExecutions', { query: { planId, limit: MOST_RUNS }, signal: leaving.signal }).then(
      ({ executions }) => setRuns(executions.toReversed()),
      // The list beside it tells what went wrong.
      () => undefined,
    )
    return () => leaving.abort()
  }, [client, planId, listed])
  const longest = Math.max(1, ...runs.map((run) => tookMs(run, now)))
  if (runs.length === 0) return null
  return (
    <ol className="strip" aria-label={`Last runs of ${planId}`}>
      {runs.map((run) => {
        const look = runLook(run.status)
        const took = tookMs(run, now)
        const told = `${look.word}, ${duration(took)}, ${ago(msFromIso(run.createdAt) ?? now, now)}, run ${shortId(run.executionId)}`
        return (
          <li key={run.executionId} className={`tone-${look.tone}`}>
            <Link href={runPath(run.executionId)} aria-label={told} title={told}>
              <span className="height" style={{ height: Math.max(LOWEST_PX, (took / longest) * HIGHEST_PX) }} />
              <StateMark look={look} />
            </Link>
          </li>
        )
      })}
    </ol>
  )
}

function tookMs({ status, createdAt, updatedAt }: ExecutionState, now: number): number {
  const isOver = status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'
  return Math.max(0, (isOver ? (msFromIso(updatedAt) ?? now) : now) - (msFromIso(createdAt) ?? now))
}
