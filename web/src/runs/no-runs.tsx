/** An empty list says how to make the first run, or why nothing fits. */
import type { ReactElement } from 'react'
import { PLANS, setQuery } from '../address/address.ts'
import { Link } from '../address/link.tsx'

export function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  if (isFiltered)
    return (
      <div className="empty">
        <p>No run fits the filter.</p>
        <button type="button" onClick={() => setQuery({ q: undefined }, 'step')}>
          Show all runs
        </button>
      </div>
    )
  return (
    <div className="empty">
      <p>No run yet.</p>
      <p>
        <Link href={PLANS}>Choose a plan and start it</Link>, or from a terminal:
      </p>
      <pre>{`curl -s ${window.location.origin}/v1/executions -H 'content-type: application/json' -d '{"planId":"…","input":{}}'`}</pre>
      <p className="quiet">It appears here as soon as it is on record.</p>
    </div>
  )
}
