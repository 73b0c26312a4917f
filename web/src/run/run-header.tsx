/** Which run this is, how it stands at the moment, and what can be done with it. */
import type { ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { planPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { duration, shortId } from '../shown/words.ts'
import { ActButtons } from '../acts/act-buttons.tsx'
import { RUN_ACTS } from '../acts/offers.ts'
import type { At } from '../history/at.ts'
import { askedOf } from '../inspector/asked-of.ts'
import { pauseDetails } from '../inspector/tell-cause.ts'

export function RunHeader({ at }: { readonly at: At }): ReactElement {
  const { execution, snapshot, asOf } = at
  const { executionId, planId, planVersion, triggeredBy } = execution
  const began = msFromIso(snapshot.startedAt ?? execution.createdAt) ?? asOf
  const ended = msFromIso(snapshot.completedAt ?? '') ?? asOf
  return (
    <header className="run-header">
      <Link href={RUNS} className="back" title="runs">
        ← runs
      </Link>
      <h1>
        <Link href={planPath(planId)}>{planId}</Link> <span className="quiet">{planVersion}</span>
      </h1>
      <code title={executionId}>{shortId(executionId)}</code>
      <span role="status" aria-label="Status of the run">
        <StateChip look={runLook(snapshot.status)} />
      </span>
      {snapshot.substatus === undefined ? null : (
        <span className="quiet" title={snapshot.message ?? ''}>
          {snapshot.substatus}
        </span>
      )}
      {snapshot.status === 'PAUSED' ? <span className="quiet">paused{pauseDetails(askedOf(at))}</span> : null}
      <span className="quiet">{duration(ended - began)}</span>
      {triggeredBy === undefined ? null : <span className="quiet">by {triggeredBy}</span>}
      <ActButtons at={at} acts={RUN_ACTS} />
    </header>
  )
}
