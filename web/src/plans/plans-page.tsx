/** The published plans, each with a way to start it. */
import { useEffect, useState, type ReactElement } from 'react'
import type { PublishedPlan } from '../../../src/client/connect.ts'
import { planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'

const PAGE = 100

interface Read {
  readonly plans: readonly PublishedPlan[]
  readonly next?: string | undefined
  readonly isLoaded: boolean
  readonly error?: unknown
}

export function PlansPage(): ReactElement {
  const { client } = useWatched(sessions)
  const [read, setRead] = useState<Read>({ plans: [], isLoaded: false })
  const load = async (cursor?: string): Promise<void> => {
    try {
      const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const { plans, next } = await client.call('listPlans', { query })
      setRead((before) => ({ plans: cursor === undefined ? plans : [...before.plans, ...plans], next, isLoaded: true }))
    } catch (error) {
      setRead((before) => ({ ...before, isLoaded: true, error }))
    }
  }
  useEffect(() => void load(), [client])
  const { plans, next, isLoaded, error } = read
  return (
    <main className="plans">
      <h1>Plans</h1>
      {error === undefined ? null : <Trouble error={error} retry={() => void load()} />}
      {isLoaded && plans.length === 0 && error === undefined ? (
        <div className="empty">
          <p>No plan is published here.</p>
          <pre>keelson plan publish plan.yaml --server {window.location.origin}</pre>
        </div>
      ) : (
        <ul className="plan-list">
          {plans.map(({ planId, planVersion, sha256 }) => (
            <li key={planId}>
              <Link href={planPath(planId)}>{planId}</Link> <span className="quiet">{planVersion}</span>{' '}
              <code title={sha256}>{sha256.slice(0, 12)}</code>
            </li>
          ))}
        </ul>
      )}
      {next === undefined ? null : (
        <button type="button" onClick={() => void load(next)}>
          More plans
        </button>
      )}
    </main>
  )
}
