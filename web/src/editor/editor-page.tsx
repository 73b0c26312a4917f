/** A plan as text, on a server for development alone: problems as one types, its graph beside it, and a run of what is written. */
import { useEffect, useState, type ReactElement } from 'react'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { planText } from '../../../src/core/plan/write/written-plan.ts'
import { planPath, PLANS, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { me, session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { Editor } from './editor.tsx'
import { FIRST_PLAN } from './kept-text.ts'
import '../styles/plans.css'

export function EditorPage(): ReactElement {
  const who = useWatched(me)
  const { query } = useAddress()
  const [planId, version] = [query.get('plan') ?? undefined, query.get('version') ?? undefined]
  if (who?.dev !== true)
    return (
      <main className="empty">
        <h1>No editor here</h1>
        <p>
          Plans are written where they are kept, and this server only runs them. A server for development has an editor:
        </p>
        <pre>keelson dev</pre>
        <p>
          <Link href={PLANS}>All plans</Link>
        </p>
      </main>
    )
  return (
    <main className="editor">
      <header>
        <Link href={planId === undefined ? PLANS : planPath(planId)} className="back">
          ← {planId ?? 'plans'}
        </Link>
        <h1>{planId === undefined ? 'A new plan' : `Edit ${planId}`}</h1>
      </header>
      {planId === undefined ? (
        <Editor name="" first={FIRST_PLAN} />
      ) : (
        <Opened key={`${planId} ${version ?? ''}`} planId={planId} version={version} />
      )}
    </main>
  )
}

interface OpenedProps {
  readonly planId: string
  readonly version: string | undefined
}

/** Asked once: what comes later would be written over what a person writes. */
function Opened({ planId, version }: OpenedProps): ReactElement {
  const { client } = useWatched(sessions)
  const [first, setFirst] = useState<string>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    client
      .call('getPlan', { params: { planId }, query: version === undefined ? {} : { version } })
      .then(({ plan }) => setFirst(planText(plan as unknown as Plan)))
      .catch(setError)
  }, [client])
  if (error !== undefined) return <Trouble error={error} />
  if (first === undefined) return <p className="quiet shape-box">Reading the plan …</p>
  return <Editor name={`${planId} ${version ?? ''}`} first={first} />
}
