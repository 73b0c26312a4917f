/** The last runs of a plan, of every version; each leads to the start form with its input. */
import type { ReactElement } from 'react'
import { runPath, RUNS, startPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import { shortId } from '../shown/words.ts'
import type { ReadPlan } from './use-plan.ts'

export function PlanRuns({ read, now }: { readonly read: ReadPlan; readonly now: number }): ReactElement {
  const { planId, runs } = read
  const all = `${RUNS}?${new URLSearchParams({ q: `plan:${planId}` }).toString()}`
  return (
    <section aria-label="Last runs">
      <h2>Last runs</h2>
      {runs.length === 0 ? (
        <>
          <p className="quiet">It has not run yet. Start does it, or:</p>
          <pre>
            keelson run {planId} --server {window.location.origin}
          </pre>
        </>
      ) : (
        <>
          <ul className="version-list">
            {runs.map(({ executionId, status, planVersion, createdAt }) => (
              <li key={executionId}>
                <StateChip look={runLook(status)} />
                <Link href={runPath(executionId)} aria-label={`Run ${shortId(executionId)}`}>
                  <code title={executionId}>{shortId(executionId)}</code>
                </Link>
                <span className="quiet">
                  {planVersion} <When at={createdAt} now={now} />
                </span>
                <Link
                  className="compare"
                  href={startPath(planId, { from: executionId })}
                  aria-label={`Start again with the input of ${shortId(executionId)}`}
                >
                  again
                </Link>
              </li>
            ))}
          </ul>
          <Link href={all}>All runs of {planId}</Link>
        </>
      )}
    </section>
  )
}
