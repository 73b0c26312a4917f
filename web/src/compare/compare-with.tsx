/** Which run to compare with: the one it was forked from, its forks, the runs of the same plan before and after it, or any by its id. */
import { useState, type FormEvent, type ReactElement } from 'react'
import type { Client, ExecutionState } from '../../../src/client/connect.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { comparePath, setQuery } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useOnce } from '../server/use-once.ts'
import { useClock } from '../shown/use-clock.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { Trouble } from '../shown/trouble.tsx'
import { ago, shortId } from '../shown/words.ts'

const MOST_RUNS = 20

interface Others {
  readonly origin: ExecutionState | undefined
  readonly forks: readonly ExecutionState[]
  readonly ofPlan: readonly ExecutionState[]
}

export function CompareWith({ executionId }: { readonly executionId: string }): ReactElement {
  const { value, error } = useOnce(executionId, (client, signal) => othersOf(client, executionId, signal))
  const [id, setId] = useState('')
  const go = (event: FormEvent): void => {
    event.preventDefault()
    setQuery({ with: id.trim() }, 'step')
  }
  return (
    <>
      <form className="compare-id" onSubmit={go}>
        <label>
          Id of the other run{' '}
          <input value={id} required spellCheck={false} onChange={(event) => setId(event.target.value)} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {error === undefined ? null : <Trouble error={error} />}
      {value === undefined ? (
        error === undefined ? (
          <p className="quiet loading">Looking for runs …</p>
        ) : null
      ) : (
        <>
          <Choices
            title="The run it was forked from"
            runs={value.origin === undefined ? [] : [value.origin]}
            of={executionId}
          />
          <Choices title="Its forks" runs={value.forks} of={executionId} />
          <Choices title="Runs of the same plan" runs={value.ofPlan} of={executionId} />
          {value.origin === undefined && value.forks.length + value.ofPlan.length === 0 ? (
            <p>No other run of this plan yet. Give the id of any run.</p>
          ) : null}
        </>
      )}
    </>
  )
}

interface ChoicesProps {
  readonly title: string
  readonly runs: readonly ExecutionState[]
  readonly of: string
}

function Choices({ title, runs, of }: ChoicesProps): ReactElement | null {
  const now = useClock(false)
  if (runs.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className="plan-list">
        {runs.map(({ executionId, planId, planVersion, status, createdAt }) => (
          <li key={executionId}>
            <StateChip look={runLook(status)} />{' '}
            <Link href={comparePath(of, executionId)}>
              {planId} {planVersion}, run {shortId(executionId)}
            </Link>{' '}
            <time className="quiet" dateTime={createdAt} title={createdAt}>
              {ago(msFromIso(createdAt) ?? now, now)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function othersOf(client: Client, executionId: string, signal: AbortSignal): Promise<Others> {
  const params = { executionId }
  const own = await client.call('getExecution', { params, query: { with: ['row'] }, signal })
  const list = async (query: { readonly planId?: string; readonly originalExecutionId?: string }) =>
    (await client.call('listExecutions', { query: { ...query, limit: MOST_RUNS }, signal })).executions
  const [forks, ofPlan] = await Promise.all([
    list({ originalExecutionId: own.executionId }),
    list({ planId: own.planId }),
  ])
  const { originalExecutionId: from } = own
  const origin =
    from === undefined
      ? undefined
      : await client
          .call('getExecution', { params: { executionId: from }, query: { with: ['row'] }, signal })
          // It may have been archived or erased since.
          .catch(() => undefined)
  const told = new Set([own.executionId, from, ...forks.map((run) => run.executionId)])
  return { origin, forks, ofPlan: ofPlan.filter((run) => !told.has(run.executionId)) }
}
