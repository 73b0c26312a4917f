/** Which run this is, how it stands at the moment, and what can be done with it. */
import { useState, type ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { shownRun } from '../../../src/core/view/show/shown-run.ts'
import { comparePath, forkPath, planPath, runPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { isHere } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { copyText } from '../shown/copy-text.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { Substatus } from '../shown/substatus.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { duration, shortId } from '../shown/words.ts'
import { ActButtons } from '../acts/act-buttons.tsx'
import { RUN_ACTS } from '../acts/offers.ts'
import type { At } from '../history/at.ts'
import { askedOf } from '../inspector/asked-of.ts'
import { pauseDetails } from '../inspector/tell-cause.ts'

export function RunHeader({ at }: { readonly at: At }): ReactElement {
  const { execution, snapshot, asOf, isStale, moment } = at
  const isAnswering = useWatched(isHere)
  const now = useClock(true)
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
      <CopiedId executionId={executionId} />
      <span role="status" aria-label="Status of the run">
        <StateChip look={runLook(snapshot.status)} />
      </span>
      {substatus === undefined ? null : <Substatus word={substatus} message={snapshot.message} />}
      {stale ? <Substatus word="STALE" /> : null}
      {snapshot.status === 'PAUSED' ? <span className="quiet">paused{pauseDetails(askedOf(at))}</span> : null}
      <span className="quiet">
        {duration(ended - began)}
        {snapshot.startedAt === undefined ? null : (
          <>
            , started <When at={snapshot.startedAt} now={now} />
          </>
        )}
      </span>
      {triggeredBy === undefined ? null : <span className="quiet">by {triggeredBy}</span>}
      {originalExecutionId === undefined ? null : (
        <span className="quiet">
          from <Link href={runPath(originalExecutionId)}>run {shortId(originalExecutionId)}</Link>
        </span>
      )}
      <div className="run-acts">
        <ActButtons at={at} acts={RUN_ACTS} />
        {at.file === undefined ? (
          <>
            {at.hasEnded ? (
              <Link href={forkPath(executionId)} className="button plain">
                {execution.status === 'COMPLETED' ? 'Fork' : 'Run again, as a fork'}
              </Link>
            ) : null}
            <Link href={comparePath(executionId)} className="button plain">
              Compare
            </Link>
          </>
        ) : null}
      </div>
    </header>
  )
}

/** Short to read, and whole on the clipboard: what one pastes into a terminal or a message. */
function CopiedId({ executionId }: { readonly executionId: string }): ReactElement {
  const [told, setTold] = useState<string>()
  const copy = (): void =>
    void copyText(executionId).then((isCopied) => setTold(isCopied ? 'copied' : `cannot copy: ${executionId}`))
  return (
    <button
      type="button"
      className="run-id"
      title={`copy ${executionId}`}
      aria-label={`copy the id ${executionId}`}
      onClick={copy}
      onBlur={() => setTold(undefined)}
      onPointerLeave={() => setTold(undefined)}
    >
      <code>{shortId(executionId)}</code>
      <span role="status">{told === undefined ? '' : ` ${told}`}</span>
    </button>
  )
}
