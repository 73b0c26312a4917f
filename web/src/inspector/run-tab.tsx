/** Nothing is selected: the run itself, and what it waits for. */
import { Suspense, type ReactElement } from 'react'
import { EventCard } from '../events/event-card.tsx'
import { taskPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import { waitKind } from '../shown/wait-kind.ts'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { At } from '../history/at.ts'
import { FileArtifacts } from './file-artifacts.tsx'
import { RelatedRuns } from './related-runs.tsx'
import { RunValues } from './run-values.tsx'
import { chipOf } from '../graph/step-chip.ts'
import { selectStep } from '../history/use-moment.ts'
import { part } from '../server/part.ts'

const ArtifactList = part(async () => (await import('./artifact-list.tsx')).ArtifactList)
const TryTab = part(async () => (await import('./try-tab.tsx')).TryTab)

const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'FAILED'])
const SHOWN = 50

export function RunTab({ at }: { readonly at: At }): ReactElement {
  const { snapshot, asOf, moment } = at
  const open = snapshot.steps.filter(({ status, recovered }) => OPEN.has(status) && recovered !== true)
  const { rootCause, message } = snapshot
  return (
    <section className="inspector" aria-label="The run">
      <header>
        <h2>The run</h2>
      </header>
      <div className="tab" tabIndex={0} role="region" aria-label="About the run">
        {message === undefined ? null : <p>{message}</p>}
        {rootCause === undefined ? null : (
          <p className="error">
            <code className="code">{rootCause.code}</code> {rootCause.message}{' '}
            {rootCause.stepId === undefined ? null : (
              <button type="button" className="small" onClick={() => selectStep(rootCause.stepId)}>
                {rootCause.stepId}
              </button>
            )}
          </p>
        )}
        {open.length === 0 ? null : (
          <>
            <h3>{headingOf(open)}</h3>
            <ul className="items">
              {open.slice(0, SHOWN).map((step) => (
                <li key={step.stepId} className="step-line">
                  <button type="button" onClick={() => selectStep(step.stepId)}>
                    <StateMark look={stepLook(step, waitKind(at.history.graph, step.stepId))} size={12} />
                    {step.stepId}{' '}
                    <span className="quiet">
                      {stepLook(step, waitKind(at.history.graph, step.stepId)).word} {chipOf(step, asOf)}
                    </span>
                  </button>
                  {step.waitingForManualCompletion === true && moment.isNow && at.file === undefined ? (
                    <Link href={taskPath(at.execution.executionId, step.stepId)}>open the task</Link>
                  ) : null}
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="quiet">Choose a step in the graph, the timeline or the events to see why it is where it is.</p>
        <RunValues at={at} />
        {at.file === undefined ? <RelatedRuns at={at} /> : null}
        <Suspense fallback={null}>
          {snapshot.artifacts.length === 0 ? null : (
            <>
              <h3>artifacts</h3>
              {at.file === undefined ? (
                <ArtifactList executionId={at.execution.executionId} artifacts={snapshot.artifacts} />
              ) : (
                <FileArtifacts artifacts={snapshot.artifacts} />
              )}
            </>
          )}
          {at.file === undefined ? (
            <>
              <h3>try an expression</h3>
              <TryTab at={at} />
            </>
          ) : null}
        </Suspense>
        <h3>event {moment.seq}</h3>
        <EventCard at={at} />
      </div>
    </section>
  )
}

function headingOf(open: readonly StepSnapshot[]): string {
  const failed = open.filter(({ status, retryAt }) => status === 'FAILED' && retryAt === undefined).length
  if (failed === 0) return 'at work or waiting'
  return failed === open.length ? 'failed' : 'at work or failed'
}
