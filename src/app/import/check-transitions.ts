/**
 * The optional check of an open append (STO-25): a step event that cannot follow from what the log says of its attempt
 * is refused, always in the same way. It is never the only guard: keys and the fold check again.
 */
import type { LogRecord, RunEventWrite } from '../../core/events/event.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import { fail } from '../../core/problems/problem.ts'
import {
  ATTEMPT_TRANSITIONS,
  attemptTransition,
  refusedMove,
  type AttemptStatus,
} from '../../core/run/state/transitions.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'

/** `<slot>#<attempt>` of attempts whose StepStarted is in a local buffer and comes later (LAT-02). */
export type Diverted = ReadonlySet<string>

const STEP_EVENTS: ReadonlySet<string> = new Set(['StepStarted', 'StepCompleted', 'StepFailed', 'StepSkipped'])

export async function checkTransitions(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  writes: readonly RunEventWrite[],
  diverted: Diverted,
): Promise<void> {
  const attempts = await attemptsOf(store, runKey)
  for (const write of writes) {
    const attempt = STEP_EVENTS.has(write.eventType) ? attemptName(write) : undefined
    if (attempt === undefined) continue
    const known = attempts.get(attempt) ?? 'PENDING'
    const status = known === 'PENDING' && diverted.has(attempt) ? 'RUNNING' : known
    const next = attemptTransition(status, write.eventType)
    const isLateStart = write.eventType === 'StepStarted' && diverted.has(attempt)
    if (next === undefined && !isLateStart) {
      const message = `${write.eventType} on attempt ${attempt}, which is ${status}`
      fail('INVALID_TRANSITION', message, refusedMove(ATTEMPT_TRANSITIONS, status, write.eventType))
    }
    if (next !== undefined) attempts.set(attempt, next)
  }
}

async function attemptsOf(store: Pick<RunStore, 'readEvents'>, runKey: RunKey): Promise<Map<string, AttemptStatus>> {
  const attempts = new Map<string, AttemptStatus>()
  for await (const stored of storedEvents(store, runKey)) {
    const record = STEP_EVENTS.has(stored.eventType) ? recordOf(stored) : undefined
    const attempt = record?.ok === true ? attemptName(record.value) : undefined
    if (attempt === undefined) continue
    attempts.set(attempt, attemptTransition(attempts.get(attempt) ?? 'PENDING', stored.eventType) ?? 'RUNNING')
  }
  return attempts
}

function attemptName(write: RunEventWrite | LogRecord): string | undefined {
  const slot = slotOf(write)
  return slot === undefined ? undefined : `${slot}#${write.logicalAttemptId}`
}
