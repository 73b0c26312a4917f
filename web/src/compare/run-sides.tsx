/** The two runs: which they are, how they stand, how long they took, and why they failed. */
import type { ReactElement } from 'react'
import { isoFromMs, msFromIso } from '../../../src/core/time.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { duration, shortId, timeOfDay } from '../shown/words.ts'

interface Side {
  readonly run: LoadedRun
  readonly lastSeq: number
}

export function RunSides({ left, right }: { readonly left: Side; readonly right: Side }): ReactElement {
  return (
    <div className="sides">
      <RunSide name="here" side={left} />
      <RunSide name="there" side={right} />
    </div>
  )
}

function RunSide({ name, side: { run, lastSeq } }: { readonly name: string; readonly side: Side }): ReactElement {
  const { execution, history } = run
  const { status, startedAt, totalDurationMs, rootCause } = history.snapshotAt(lastSeq)
  const began = msFromIso(startedAt ?? execution.createdAt)
  return (
    <section aria-label={`The run ${name}`}>
      <p>
        <span className="quiet">{name}</span>{' '}
        <Link href={runPath(execution.executionId)}>
          {execution.planId} {execution.planVersion}, run {shortId(execution.executionId)}
        </Link>{' '}
        <StateChip look={runLook(status)} />
      </p>
      <p className="quiet">
        {began === undefined ? null : (
          <time dateTime={isoFromMs(began)} title={isoFromMs(began)}>
            {timeOfDay(began)}
          </time>
        )}
        {totalDurationMs === undefined ? '' : `, ${duration(totalDurationMs)}`}
        {execution.triggeredBy === undefined ? '' : `, by ${execution.triggeredBy}`}
        {`, ${lastSeq.toLocaleString('en')} events`}
      </p>
      {rootCause === undefined ? null : (
        <p className="error">
          <code className="code">{rootCause.code}</code> {rootCause.message}
        </p>
      )}
    </section>
  )
}
