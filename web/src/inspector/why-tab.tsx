/**
 * Why the step is where it is. The core answers it from the log at the cursor; at now the server is asked too, because queues of
 * pools and limits are not in the log.
 */
import { useEffect, useState, type ReactElement } from 'react'
import type { Cause } from '../../../src/core/run/explain/explain.ts'
import { ActButtons } from '../acts/act-buttons.tsx'
import { STEP_ACTS } from '../acts/offers.ts'
import { runPath, taskPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session } from '../server/session.ts'
import type { At } from '../history/at.ts'
import { askedOf } from './asked-of.ts'
import { tellCause } from './tell-cause.ts'
import { goToEvent, selectStep } from '../history/use-moment.ts'

export function WhyTab({ at, slot }: { readonly at: At; readonly slot: string }): ReactElement {
  const own = at.history.whyAt(slot, at.moment.seq, at.asOf)
  const told = useServerCauses(at, slot)
  const causes = told ?? own
  if (causes === undefined) return <p className="quiet">The plan of this run is not stored here.</p>
  const asked = askedOf(at)
  return (
    <>
      {causes.length === 0 ? <p>It starts next: nothing holds it.</p> : null}
      <ol className="causes">
        {causes.map((cause, index) => {
          const { sentence, step, runSeq, runId } = tellCause(cause, asked)
          return (
            <li key={index}>
              {sentence}{' '}
              {step === undefined || step === slot ? null : (
                <button type="button" className="small" onClick={() => selectStep(step)}>
                  {step}
                </button>
              )}{' '}
              {runSeq === undefined || runSeq < 1 ? null : (
                <button type="button" className="small" onClick={() => goToEvent(runSeq)}>
                  event {runSeq}
                </button>
              )}
              {runId === undefined ? null : <Link href={runPath(runId)}>open that run</Link>}
              {cause.kind === 'run-paused' ? <ActButtons at={at} acts={['RESUME']} /> : null}
              {cause.kind === 'waiting-for-person' && at.moment.isNow ? (
                <Link href={taskPath(at.execution.executionId, slot)}>open the task</Link>
              ) : null}
            </li>
          )
        })}
      </ol>
      <ActButtons at={at} acts={STEP_ACTS} stepId={slot} />
    </>
  )
}

/** Undefined in the past, for an ended run, and until the server has answered for this very event. */
function useServerCauses({ execution, moment, history, hasEnded }: At, slot: string): readonly Cause[] | undefined {
  const [told, setTold] = useState<{ readonly key: string; readonly causes: readonly Cause[] }>()
  const { executionId } = execution
  const isAsked = moment.isNow && !hasEnded && history.graph !== undefined
  const key = `${executionId} ${slot} ${moment.seq}`
  useEffect(() => {
    if (!isAsked) return undefined
    const leaving = new AbortController()
    session
      .get()
      .client.call('explainStep', { params: { executionId, step: slot }, signal: leaving.signal })
      .then(({ causes }) => setTold({ key, causes: causes as unknown as readonly Cause[] }))
      // What the core says stays.
      .catch(() => undefined)
    return () => leaving.abort()
  }, [isAsked, executionId, slot, key])
  return isAsked && told?.key === key ? told.causes : undefined
}
