/** What a run that was admitted waits for: a person's word, somebody who starts it, its instant, or its engine (BPQ-03, X-85). */
import { whoMayApprove } from '../people/who-may.ts'
import { isStartable } from '../state/is-startable.ts'
import type { RunState } from '../state/state.ts'

export interface RefusedPerson {
  readonly actorId?: string
  readonly code: string
  readonly why: string
  readonly at: number
  readonly runSeq: number
}

/** About a task that waits for a person. */
export interface ForPeople {
  /** Who may complete it, if a rule says so; absent: anybody. */
  readonly whoMay?: string
  /** Who tried and was refused, the latest ones. They are only in the log; the reader of the log adds them. */
  readonly refused?: readonly RefusedPerson[]
}

/** A limit that a run waits for, and what would free a place: the end of one of these runs, or time. */
export interface LimitCause {
  readonly limit: string
  readonly position: number
  readonly since: number
  readonly heldBy: readonly string[]
}

export interface NotStartedCause extends ForPeople {
  readonly kind: 'run-not-started'
  readonly status: string
  /** A person's word, somebody who starts what is queued, or its instant. Absent: its engine starts it. */
  readonly waitsFor?: 'approval' | 'start' | 'instant'
  /** Limits that have no room for it. They are not in the log; the reader of the store adds them. */
  readonly limits?: readonly LimitCause[]
  readonly notBefore?: number
}

export function notStarted(state: RunState): NotStartedCause {
  const whoMay = isStartable(state) ? undefined : whoMayApprove(state)
  return {
    kind: 'run-not-started',
    status: state.status,
    ...waitsFor(state),
    ...(state.notBefore < 0 ? {} : { notBefore: state.notBefore }),
    ...(whoMay === undefined ? {} : { whoMay }),
  }
}

function waitsFor(state: RunState): Pick<NotStartedCause, 'waitsFor'> {
  if (!isStartable(state)) return { waitsFor: 'approval' }
  if (state.notBefore >= 0) return { waitsFor: 'instant' }
  return state.autoApproves || state.approvedBy !== '' ? { waitsFor: 'start' } : {}
}
