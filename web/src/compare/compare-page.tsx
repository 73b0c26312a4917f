/** One run beside another: both are read whole and folded here, and go on as they go on. Without another one, which it may be. */
import { useMemo, type ReactElement } from 'react'
import { comparePath, runPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { useRun, type ShownRun } from '../history/use-run.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { shortId } from '../shown/words.ts'
import '../styles/compare.css'
import { compareRuns } from './compare-runs.ts'
import { CompareSteps } from './compare-steps.tsx'
import { CompareWith } from './compare-with.tsx'
import { EventSides } from './event-sides.tsx'
import { RunSides } from './run-sides.tsx'
import { ValueSides } from './value-sides.tsx'

export function ComparePage({ executionId }: { readonly executionId: string }): ReactElement {
  const other = useAddress().query.get('with') ?? undefined
  return (
    <main className="compare">
      <Link href={runPath(executionId)} className="back">
        ← the run
      </Link>
      <h1>
        Compare <code title={executionId}>{shortId(executionId)}</code>
        {other === undefined ? null : (
          <>
            {' '}
            with <code title={other}>{shortId(other)}</code>
          </>
        )}
      </h1>
      {other === undefined ? (
        <CompareWith executionId={executionId} />
      ) : (
        <>
          <p className="buttons">
            <Link href={comparePath(other, executionId)}>change sides</Link>
            <button type="button" className="small" onClick={() => setQuery({ with: undefined }, 'step')}>
              another run
            </button>
          </p>
          <Two key={other} executionId={executionId} other={other} />
        </>
      )}
    </main>
  )
}

function Two({ executionId, other }: { readonly executionId: string; readonly other: string }): ReactElement {
  const session = useWatched(sessions)
  const left = useRun(session, executionId)
  const right = useRun(session, other)
  return (
    <>
      {[left, right].map(({ error }, at) => (error === undefined ? null : <Trouble key={at} error={error} />))}
      {left.run !== undefined && right.run !== undefined ? (
        <Sides left={{ ...left, run: left.run }} right={{ ...right, run: right.run }} />
      ) : left.error === undefined && right.error === undefined ? (
        <p className="quiet loading">Reading both logs …</p>
      ) : null}
    </>
  )
}

interface Side extends ShownRun {
  readonly run: LoadedRun
}

function Sides({ left, right }: { readonly left: Side; readonly right: Side }): ReactElement {
  const found = useMemo(
    () =>
      compareRuns(
        { execution: left.run.execution, history: left.run.history, lastSeq: left.lastSeq },
        { execution: right.run.execution, history: right.run.history, lastSeq: right.lastSeq },
      ),
    [left.run, left.lastSeq, right.run, right.lastSeq],
  )
  const ids = { left: left.run.execution.executionId, right: right.run.execution.executionId }
  const isSamePlan = left.run.execution.planSha256 === right.run.execution.planSha256
  return (
    <>
      <RunSides left={left} right={right} />
      {left.run.isWhole && right.run.isWhole ? null : <p className="quiet loading">Reading the logs …</p>}
      <EventSides difference={found.event} ids={ids} />
      <CompareSteps rows={found.steps} ids={ids} />
      <ValueSides title="Input" difference={found.input} />
      <ValueSides title="Output" difference={found.output} />
      <ValueSides
        title="Plan"
        difference={
          isSamePlan
            ? { kind: 'known', fields: [] }
            : found.plan === undefined
              ? { kind: 'unknown' }
              : { kind: 'known', fields: planFields(found.plan) }
        }
      />
    </>
  )
}

/** Steps and what is around them in one list. */
function planFields({ added, removed, changed, plan }: NonNullable<ReturnType<typeof compareRuns>['plan']>) {
  return [
    ...removed.map((stepId) => ({ path: `steps.${stepId}`, from: 'there' })),
    ...added.map((stepId) => ({ path: `steps.${stepId}`, to: 'there' })),
    ...changed.flatMap(({ stepId, fields }) =>
      fields.map((field) => ({ ...field, path: `steps.${stepId}.${field.path}` })),
    ),
    ...plan,
  ]
}
