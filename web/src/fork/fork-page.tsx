/** Forks an ended run: from where, with which plan and input, and, before it starts, what it takes over and what it repeats. */
import type { ReactElement } from 'react'
import { runPath, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useOnce } from '../server/use-once.ts'
import { Trouble } from '../shown/trouble.tsx'
import { shortId } from '../shown/words.ts'
import '../styles/fork.css'
import { ForkForm } from './fork-form.tsx'
import { loadOldRun, type OldRun } from './load-fork.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'

export function ForkPage({ executionId }: { readonly executionId: string }): ReactElement {
  const { value: old, error } = useOnce(executionId, (client, signal) => loadOldRun(client, executionId, signal))
  return (
    <main className="fork">
      <Link href={runPath(executionId)} className="back">
        ← the run
      </Link>
      <h1>
        Fork {old?.execution.planId} <code title={executionId}>{shortId(executionId)}</code>
      </h1>
      <p className="quiet">
        A new run that takes over the results that still stand, and does the rest. The old run stays as it is.
      </p>
      {error === undefined ? null : <Trouble error={error} />}
      {old === undefined ? (
        error === undefined ? (
          <p className="quiet loading">Reading the run …</p>
        ) : null
      ) : (
        <Other old={old} />
      )}
    </main>
  )
}

/** With another version of the plan the form has other fields, so it begins anew. */
function Other({ old }: { readonly old: OldRun }): ReactElement | null {
  const asked = useAddress().query.get('version') ?? undefined
  const { planId } = old.execution
  const { value, error } = useOnce(asked === undefined ? undefined : `${planId} ${asked}`, (client, signal) =>
    client.call('getPlan', { params: { planId }, query: { version: asked ?? '' }, signal }),
  )
  if (error !== undefined) return <Trouble error={error} />
  const plan = asked === undefined ? old.plan : (value?.plan as Plan | undefined)
  return plan === undefined ? null : <ForkForm key={asked ?? ''} old={old} plan={plan} version={asked} />
}
