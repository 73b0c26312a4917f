/** Which run this is, how it stands at the moment, and what can be done with it. */
import type { ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { shownRun } from '../../../src/core/view/show/shown-run.ts'
import { comparePath, forkPath, planPath, runPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { isHere } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { Substatus } from '../shown/substatus.tsx'
import { duration, shortId } from '../shown/words.ts'
import { ActButtons } from '../acts/act-buttons.tsx'
import { RUN_ACTS } from '../acts/offers.ts'
import type { At } from '../history/at.ts'
import { askedOf } from '../inspector/asked-of.ts'
import { pauseDetails } from '../inspector/tell-cause.ts'

export function RunHeader({ at }: { readonly at: At }): ReactElement {
  const { execution, snapshot, asOf, isStale, moment } = at
  const isAnswering = useWatched(isHere)
  // What only the engine knows was told for the event at which the run was asked for, and is shown where the log says nothing.
  const isAsTold = moment.seq === execution.lastEventSeq && !at.hasEnded
  const isBehind = isStale || (!isAnswering && at.file === undefined)
  const { substatus, stale } = shownRun(snapshot, isBehind, isAsTold ? execution.substatus : undefined)
  const { executionId, planId, planVersion, triggeredBy, originalExecutionId } = execution
  const began = msFromIso(snapshot.startedAt ?? execution.createdAt) ?? asOf
  const ended = msFromIso(snapshot.completedAt ?? '') ?? asOf
  return (
    <header className="run-header">
      <Link href={RUNS} className="back" title="runs">
        ← runs
      </Link>
      <h1>
        {at.file === undefined ? <Link href={planPath(planId)}>{planId}</Link> : planId}{' '}
        <span className="quiet">{planVersion}</span>
      </h1>
      <code className="quiet" title={executionId}>
        {shortId(executionId)}
      </code>
      <span role="status" aria-label="Status of the run">
        <StateChip look={runLook(snapshot.status)} />
      </span>
      {substatus === undefined ? null : <Substatus word={substatus} message={snapshot.message} />}
      {stale ? <Substatus word="STALE" /> : null}
      {snapshot.status === 'PAUSED' ? <span className="quiet">paused{pauseDetails(askedOf(at))}</span> : null}
      <span className="quiet">{duration(ended - began)}</span>
      {triggeredBy === undefined ? null : <span className="quiet">by {triggeredBy}</span>}
      {originalExecutionId === undefined ? null : (
        <span className="quiet">
          from <Link href={runPath(originalExecutionId)}>run {shortId(originalExecutionId)}</Link>
        </span>
      )}
      <ActButtons at={at} acts={RUN_ACTS} />
      {at.file === undefined ? (
        <span className="run-links">
          {at.hasEnded ? <Link href={forkPath(executionId)}>Fork</Link> : null}
          <Link href={comparePath(executionId)}>Compare</Link>
        </span>
      ) : null}
    </header>
  )
}
