/** Runs in flight keep the version they began with: which they are, and how each stands at a step that changed. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip, StateMark } from '../shown/state-mark.tsx'
import { runLook, statusLook, stepLook } from '../shown/states.ts'
import { plural, shortId } from '../shown/words.ts'
import type { Change } from './change-words.ts'
import type { TouchedRun } from './use-diff.ts'

const NAMED = 8

interface TouchedHereProps {
  readonly touched: readonly TouchedRun[]
  readonly stepId: string
  readonly change: Exclude<Change, 'same'>
  readonly from: string
}

/** At one step. */
export function TouchedHere({ touched, stepId, change, from }: TouchedHereProps): ReactElement | null {
  if (touched.length === 0) return null
  const runs = plural(touched.length, 'run')
  if (change === 'added')
    return (
      <p className="quiet">
        {runs} in flight of {from} will not have it.
      </p>
    )
  return (
    <>
      <p className="quiet">
        {runs} in flight of {from} {touched.length === 1 ? 'has' : 'have'} it as it was:
      </p>
      <ul className="touched" aria-label={`Runs with ${stepId} as it was`}>
        {touched.slice(0, NAMED).map(({ run: { executionId }, steps }) => {
          const step = steps?.find((one) => one.stepId === stepId)
          const look = step === undefined ? statusLook('PENDING') : stepLook(step)
          return (
            <li key={executionId}>
              <Link href={`${runPath(executionId)}?${new URLSearchParams({ step: stepId }).toString()}`}>
                <code title={executionId}>{shortId(executionId)}</code>
              </Link>{' '}
              {steps === undefined ? null : (
                <>
                  <StateMark look={look} /> {look.word}
                </>
              )}
            </li>
          )
        })}
      </ul>
      {touched.length > NAMED ? <p className="quiet">and {touched.length - NAMED} more, named below</p> : null}
    </>
  )
}

interface TouchedRunsProps {
  readonly touched: readonly TouchedRun[]
  readonly from: string
  readonly to: string
}

/** The server tells no more of them than this. */
const TOLD = 100

export function TouchedRuns({ touched, from, to }: TouchedRunsProps): ReactElement {
  return (
    <section aria-label="Runs in flight" className="runs-in-flight">
      <h2>Runs in flight of {from}</h2>
      {touched.length === 0 ? (
        <p className="quiet">None: nothing that runs goes on without these changes.</p>
      ) : (
        <>
          <p className="quiet">
            They go on with the plan they began with; new runs have {to}.
            {touched.length >= TOLD ? ` These are the newest ${TOLD}.` : ''}
          </p>
          <ul className="touched" aria-label="Runs that keep the older version">
            {touched.map(({ run: { executionId, status }, steps = [] }) => (
              <li key={executionId}>
                <Link href={runPath(executionId)}>
                  <code title={executionId}>{shortId(executionId)}</code>
                </Link>{' '}
                <StateChip look={runLook(status)} />{' '}
                <span className="quiet">
                  {steps
                    .filter((step) => step.status === 'RUNNING')
                    .map(({ stepId }) => `at ${stepId}`)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
