/** Which run this is, how it stands at the moment, and what can be done with it. */
import { useState, type ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { planPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { duration, shortId } from '../shown/words.ts'
import { ActDialog, type Act } from './act-dialog.tsx'
import type { At } from '../history/at.ts'
import { askedOf } from '../inspector/asked-of.ts'
import { pauseDetails } from '../inspector/tell-cause.ts'

export function RunHeader({ at }: { readonly at: At }): ReactElement {
  const { execution, snapshot, asOf, moment, hasEnded } = at
  const { executionId, planId, planVersion, triggeredBy } = execution
  const [act, setAct] = useState<Act>()
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
      <span className="acts">
        {actsFor(snapshot.status, moment.isNow && !hasEnded).map((one) => (
          <button key={one} type="button" onClick={() => setAct(one)}>
            {one}
          </button>
        ))}
      </span>
      {act === undefined ? null : <ActDialog act={act} executionId={executionId} onClose={() => setAct(undefined)} />}
    </header>
  )
}

/** Only at now: nobody acts on the past. */
function actsFor(status: string, isLive: boolean): readonly Act[] {
  if (!isLive) return []
  if (status === 'RUNNING') return ['Pause', 'Cancel']
  return status === 'PAUSED' ? ['Resume', 'Cancel'] : ['Cancel']
}
