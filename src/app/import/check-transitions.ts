/**
 * What an import checks beyond schemas (STO-25): a step event that cannot follow from what the log says of its attempt is
 * refused, always in the same way. It is never the only guard: keys and the store check again.
 */
import { problem, type Problem } from '../../core/problems/problem.ts'
import { ATTEMPT_TRANSITIONS, attemptTransition, refusedMove } from '../../core/run/state/transitions.ts'
import type { PreparedWrite } from './append-open.ts'
import { attemptOf, type KnownEvents } from './known-events.ts'

export interface WrongWrite {
  readonly index: number
  readonly problem: Problem
}

/** Of writes whose keys are new: a repeat is answered by its key and moves nothing. */
export function wrongTransitions(writes: readonly PreparedWrite[], known: KnownEvents): readonly WrongWrite[] {
  const seen = new Set(known.keys.keys())
  const attempts = new Map(known.attempts)
  const late = startedLate(writes)
  const wrong: WrongWrite[] = []
  for (const [index, { write, idempotencyKey }] of writes.entries()) {
    const attempt = seen.has(idempotencyKey) ? undefined : attemptOf(write)
    seen.add(idempotencyKey)
    if (attempt === undefined) continue
    const before = attempts.get(attempt) ?? 'PENDING'
    const status = before === 'PENDING' && late.has(attempt) ? 'RUNNING' : before
    const next = attemptTransition(status, write.eventType)
    if (next !== undefined) attempts.set(attempt, next)
    else if (write.eventType !== 'StepStarted' || !late.has(attempt)) {
      const message = `${write.eventType} on attempt ${attempt}, which is ${status}`
      const extras = refusedMove(ATTEMPT_TRANSITIONS, status, write.eventType)
      wrong.push({ index, problem: problem('INVALID_TRANSITION', message, extras) })
    }
  }
  return wrong
}

/** Attempts that end before they start: while the store was away, their StepStarted lay in a local buffer (LAT-02). */
function startedLate(writes: readonly PreparedWrite[]): ReadonlySet<string> {
  const ended = new Set<string>()
  const late = new Set<string>()
  for (const { write } of writes) {
    const attempt = attemptOf(write)
    if (attempt === undefined) continue
    if (write.eventType !== 'StepStarted') ended.add(attempt)
    else if (ended.has(attempt)) late.add(attempt)
  }
  return late
}
