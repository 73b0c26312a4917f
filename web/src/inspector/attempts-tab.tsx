/** Every attempt of a step: how it went, how long it took, what the error says and whether it is tried again. */
import type { ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import type { AttemptSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { statusLook } from '../shown/states.ts'
import { duration, timeOfDay } from '../shown/words.ts'

export function AttemptsTab({ step, asOf }: { readonly step: StepSnapshot; readonly asOf: number }): ReactElement {
  const all = [...step.attempts, ...(step.fallback?.attempts ?? [])]
  if (all.length === 0) return <p className="quiet">It has not begun.</p>
  return (
    <ol className="attempts">
      {step.attempts.map((attempt) => (
        <Attempt key={attempt.logicalAttemptId} attempt={attempt} name="attempt" asOf={asOf} />
      ))}
      {step.fallback?.attempts.map((attempt) => (
        <Attempt key={`fallback ${attempt.logicalAttemptId}`} attempt={attempt} name="fallback" asOf={asOf} />
      ))}
    </ol>
  )
}

interface AttemptProps {
  readonly attempt: AttemptSnapshot
  readonly name: string
  readonly asOf: number
}

function Attempt({ attempt, name, asOf }: AttemptProps): ReactElement {
  const {
    logicalAttemptId,
    engineAttemptId,
    status,
    startedAt = '',
    durationMs,
    error,
    retryAt,
    mayHaveRunTwice,
  } = attempt
  const began = msFromIso(startedAt)
  return (
    <li>
      <p>
        <strong>
          {name} {logicalAttemptId}
        </strong>{' '}
        <StateChip look={statusLook(status)} />{' '}
        {began === undefined ? '' : `${timeOfDay(began)}, ${duration(durationMs ?? asOf - began)}`}
        {engineAttemptId > 1 ? <span className="quiet"> engine attempt {engineAttemptId}</span> : null}
      </p>
      {error === undefined ? null : (
        <p className="error">
          <code className="code">{error.code}</code> {error.message}
          <span className="quiet">
            {' '}
            {error.errorClass ?? ''} {error.retryable ? 'retryable' : 'not retryable'}
          </span>
        </p>
      )}
      {error?.stackTrace === undefined ? null : (
        <details>
          <summary>stack</summary>
          <pre>{error.stackTrace}</pre>
        </details>
      )}
      {retryAt === undefined ? null : <p className="quiet">tried again at {timeOfDay(msFromIso(retryAt) ?? 0)}</p>}
      {mayHaveRunTwice === true ? <p className="quiet">it may have run twice</p> : null}
    </li>
  )
}
