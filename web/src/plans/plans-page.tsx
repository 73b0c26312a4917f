/** The published plans, each with a way to start it. */
import { useEffect, useState, type ReactElement } from 'react'
import { editorPath, planPath, startPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { me } from '../server/session.ts'
import { PAGE, readUpTo } from '../server/read-up-to.ts'
import { useAsked } from '../server/use-asked.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import '../styles/plans.css'

export function PlansPage(): ReactElement {
  const isDev = useWatched(me)?.dev === true
  const [most, setMost] = useState(PAGE)
  const { value, error, again } = useAsked('plans', (client, signal) =>
    readUpTo(most, async (query) => {
      const { plans, next } = await client.call('listPlans', { query, signal })
      return [plans, next]
    }),
  )
  useEffect(() => (most > PAGE ? again() : undefined), [most])
  return (
    <main className="plans">
      <h1>Plans</h1>
      {isDev ? (
        <p>
          <Link href={editorPath()}>Write a new plan</Link>{' '}
          <span className="quiet">and run it, before it is published</span>
        </p>
      ) : null}
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value?.items.length === 0 ? (
        <div className="empty">
          <p>No plan is published here.</p>
          <pre>keelson plan publish plan.yaml --server {window.location.origin}</pre>
        </div>
      ) : (
        <ul className="plan-list">
          {(value?.items ?? []).map(({ planId, planVersion, sha256 }) => (
            <li key={planId}>
              <Link href={planPath(planId)}>{planId}</Link> <span className="quiet">{planVersion}</span>{' '}
              <code title={sha256}>{sha256.slice(0, 12)}</code>
              <Link className="button plain" href={startPath(planId)} aria-label={`Start ${planId}`}>
                Start
              </Link>
            </li>
          ))}
        </ul>
      )}
      {value?.hasMore !== true ? null : (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          More plans
        </button>
      )}
    </main>
  )
}
