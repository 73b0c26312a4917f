/** Nothing is selected: the run itself, and what it waits for. */
import { Suspense, type ReactElement } from 'react'
import { EventCard } from '../events/event-card.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import type { At } from '../history/at.ts'
import { FileArtifacts } from './file-artifacts.tsx'
import { RelatedRuns } from './related-runs.tsx'
import { chipOf } from '../graph/step-chip.ts'
import { selectStep } from '../history/use-moment.ts'
import { part } from '../server/part.ts'

const ArtifactList = part(async () => (await import('./artifact-list.tsx')).ArtifactList)
const TryTab = part(async () => (await import('./try-tab.tsx')).TryTab)

const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'FAILED'])
const SHOWN = 50

export function RunTab({ at }: { readonly at: At }): ReactElement {
  const { snapshot, asOf, moment } = at
  const open = snapshot.steps.filter(({ status }) => OPEN.has(status))
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
            <h3>at work or failed</h3>
            <ul className="items">
              {open.slice(0, SHOWN).map((step) => (
                <li key={step.stepId}>
                  <button type="button" onClick={() => selectStep(step.stepId)}>
                    <StateMark look={stepLook(step)} size={12} />
                    {step.stepId}{' '}
                    <span className="quiet">
                      {stepLook(step).word} {chipOf(step, asOf)}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="quiet">Choose a step in the graph, the timeline or the events to see why it is where it is.</p>
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
