/**
 * Why the step is where it is. The core answers it from the log at the cursor; at now the server is asked too, because queues of
 * pools and limits are not in the log.
 */
import { useMemo, type ReactElement } from 'react'
import { parseStepSlot } from '../../../src/core/events/slot.ts'
import type { Cause } from '../../../src/core/run/explain/explain.ts'
import { ActButtons } from '../acts/act-buttons.tsx'
import { STEP_ACTS } from '../acts/offers.ts'
import { forkPath, runPath, taskPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useAsked } from '../server/use-asked.ts'
import type { At } from '../history/at.ts'
import { askedOf } from './asked-of.ts'
import { tellCause } from './tell-cause.ts'
import { goToEvent, selectStep } from '../history/use-moment.ts'

export function WhyTab({ at, slot }: { readonly at: At; readonly slot: string }): ReactElement {
  const own = at.history.whyAt(slot, at.moment.seq, at.asOf)
  const told = useServerCauses(at, slot)
  const causes = told ?? own
  if (causes === undefined) return <p className="quiet">The plan of this run is not stored here.</p>
  const asked = askedOf(at, slot)
  const planStep = parseStepSlot(slot)?.stepId
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
              {runId === undefined || at.file !== undefined ? null : <Link href={runPath(runId)}>open that run</Link>}
              {cause.kind === 'run-paused' ? <ActButtons at={at} acts={['RESUME']} /> : null}
              {cause.kind === 'waiting-for-person' && at.moment.isNow && at.file === undefined ? (
                <Link href={taskPath(at.execution.executionId, slot)}>open the task</Link>
              ) : null}
            </li>
          )
        })}
      </ol>
      <ActButtons at={at} acts={STEP_ACTS} stepId={slot} />
      {planStep === undefined || !at.hasEnded ? null : (
        <Link href={forkPath(at.execution.executionId, { from: planStep })}>Fork from {planStep}</Link>
      )}
    </>
  )
}

/**
 * Undefined in the past, for an ended run, and until the server has answered for what the core says now. It is asked again while the
 * step waits: who else is in line for a pool changes without an event of this run.
 */
function useServerCauses({ execution, moment, history, hasEnded }: At, slot: string): readonly Cause[] | undefined {
  const { executionId } = execution
  const isAsked = moment.isNow && !hasEnded && history.graph !== undefined
  const held = useMemo(
    () => (isAsked ? JSON.stringify(history.whyAt(slot, moment.seq, 0)) : ''),
    [isAsked, history, slot, moment.seq],
  )
  const { value } = useAsked(
    isAsked ? `${executionId} ${slot} ${held}` : undefined,
    // What the core says stays where the server refuses.
    (client, signal) => client.call('explainStep', { params: { executionId, step: slot }, signal }),
    'clock',
  )
  return value?.causes as readonly Cause[] | undefined
}
