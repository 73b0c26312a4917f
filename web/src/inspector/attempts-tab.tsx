/** Every attempt of a step: how it went, how long it took, who did it, what the error says, and why it is tried again or not. */
import { useMemo, type ReactElement } from 'react'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { parseStepSlot, stepSlotText } from '../../../src/core/events/slot.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import { msFromIso } from '../../../src/core/time.ts'
import type { AttemptSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { engineAttemptLabel, retryLabel } from '../../../src/core/view/show/labels.ts'
import type { RetryPolicy } from '../../../src/core/plan/plan.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { At } from '../history/at.ts'
import { goToEvent } from '../history/use-moment.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { statusLook } from '../shown/states.ts'
import { duration, shortId, timeOfDay } from '../shown/words.ts'
import { retryVerdict } from './retry-verdict.ts'
import { stepOfSlot } from './slot-plan.ts'

export interface AttemptsTabProps {
  readonly at: At
  readonly slot: string
  readonly step: StepSnapshot
}

export function AttemptsTab({ at, slot, step }: AttemptsTabProps): ReactElement {
  const { history, moment, asOf } = at
  const fallback = fallbackOf(slot)
  const ends = useMemo(
    () => endsOf(history.records.slice(0, history.countAt(moment.seq)), [slot, fallback]),
    [history, moment.seq, slot, fallback],
  )
  const policy = stepOfSlot(history, slot)?.retry
  const attempts = [
    ...step.attempts.map((attempt) => ({ attempt, of: slot, name: 'attempt' })),
    ...(step.fallback?.attempts ?? []).map((attempt) => ({ attempt, of: fallback, name: 'fallback' })),
  ]
  if (attempts.length === 0) return <p className="quiet">It has not begun.</p>
  return (
    <ol className="attempts">
      {attempts.map(({ attempt, of, name }) => {
        const key = `${of} ${attempt.logicalAttemptId}`
        return (
          <Attempt key={key} end={ends.get(key)} leads={at.file === undefined} {...{ attempt, name, asOf, policy }} />
        )
      })}
    </ol>
  )
}

function fallbackOf(slot: string): string {
  const parsed = parseStepSlot(slot)
  return parsed === undefined ? slot : stepSlotText({ ...parsed, role: 'fallback' })
}

/** What ended each attempt, by slot and number. */
function endsOf(records: readonly LogRecord[], slots: readonly string[]): ReadonlyMap<string, LogRecord> {
  const ends = new Map<string, LogRecord>()
  for (const record of records) {
    if (record.eventType !== 'StepCompleted' && record.eventType !== 'StepFailed') continue
    const slot = stepSlotOf(record)
    if (slot !== undefined && slots.includes(slot)) ends.set(`${slot} ${record.logicalAttemptId}`, record)
  }
  return ends
}

interface AttemptProps {
  readonly attempt: AttemptSnapshot
  readonly name: string
  readonly asOf: number
  /** Undefined while it has not ended. */
  readonly end: LogRecord | undefined
  readonly policy: RetryPolicy | undefined
  /** To other runs; a run from a file leads nowhere. */
  readonly leads: boolean
}

function Attempt({ attempt, name, asOf, end, policy, leads }: AttemptProps): ReactElement {
  const { logicalAttemptId, engineAttemptId, status, startedAt = '', durationMs, retryAt, mayHaveRunTwice } = attempt
  const { buildId, actorId } = (end?.payload ?? {}) as { readonly buildId?: string; readonly actorId?: string }
  const retry = retryLabel(logicalAttemptId)
  const began = msFromIso(startedAt)
  const due = msFromIso(retryAt ?? '')
  const child = leads ? childOf(end) : undefined
  return (
    <li>
      <p>
        <strong>
          {name} {logicalAttemptId}
        </strong>{' '}
        <StateChip look={statusLook(status)} />{' '}
        {began === undefined ? '' : `${timeOfDay(began)}, ${duration(durationMs ?? asOf - began)}`}
        <span className="quiet">
          {retry === undefined ? '' : ` · ${retry}`}
          {` · ${engineAttemptLabel(engineAttemptId)}`}
          {buildId === undefined ? '' : ` · worker build ${buildId}`}
          {actorId === undefined ? '' : ` · by ${actorId}`}
        </span>{' '}
        {end === undefined ? null : (
          <button type="button" className="small" onClick={() => goToEvent(end.runSeq)}>
            event {end.runSeq}
          </button>
        )}{' '}
        {child === undefined ? null : <Link href={runPath(child)}>child run {shortId(child)}</Link>}
      </p>
      <Failure attempt={attempt} end={end} policy={policy} />
      {due === undefined ? null : <p className="quiet">due at {timeOfDay(due)}</p>}
      {mayHaveRunTwice === true ? <p className="hint">it may have run twice</p> : null}
    </li>
  )
}

/** Each attempt of a step that is a plan has a run of its own, and its end is what ended the attempt. */
function childOf(end: LogRecord | undefined): string | undefined {
  return end?.decision.cause.startsWith(CHILD) === true ? end.decision.cause.slice(CHILD.length) : undefined
}

const CHILD = 'child:'

function Failure({
  attempt: { error, logicalAttemptId },
  end,
  policy,
}: Pick<AttemptProps, 'attempt' | 'end' | 'policy'>): ReactElement | null {
  if (error === undefined) return null
  const { code, message, errorClass, statusCode, category, stackTrace } = error
  const about = [
    `class ${errorClass ?? 'unknown'}`,
    ...(category === undefined ? [] : [category]),
    ...(statusCode === undefined ? [] : [`HTTP ${statusCode}`]),
  ]
  return (
    <>
      <p className="error">
        <code className="code">{code}</code> {message} <span className="quiet">{about.join(', ')}</span>
      </p>
      {end?.eventType === 'StepFailed' ? (
        <p className="verdict">
          {retryVerdict({ errorClass, attempt: logicalAttemptId, payload: end.payload ?? {} }, policy)}
        </p>
      ) : null}
      {stackTrace === undefined ? null : (
        <details>
          <summary>stack</summary>
          <pre>{stackTrace}</pre>
        </details>
      )}
    </>
  )
}
