/**
 * What the run row shows of a state: status, substatus, the next instant it must be woken, and counts (STO-27).
 */
import { LIMITS } from '../limits.ts'
import { isHeld } from './decide/proceed.ts'
import { rootCause } from './decide/finish.ts'
import { undoneFailure } from './decide/undo-run.ts'
import type { RunState } from './state.ts'
import { nextTimer } from './timers.ts'
import { isTerminalRun, type RunStatus } from './transitions.ts'

export interface StateSummary {
  readonly status: RunStatus
  readonly substatus?: string
  /** Earliest due timer; absent when only the outside can move the run (P-25). */
  readonly nextWakeAt?: number
  readonly rulesVersion: number
  readonly minRulesVersion: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly stepsTotal: number
  readonly stepsDone: number
  readonly stepsFailed: number
  /** Work is in flight: if nobody holds the lease, its driver is gone and the run must be adopted. */
  readonly owed?: true
  /** Code of the root cause of a failed run. */
  readonly errorCode?: string
}

/** What waiting for grants means for the next wake-up: due retries wait with it, and time may free a quota or breaker. */
export interface GrantTimes {
  /** By the run's time. */
  readonly retriesAfter: number
  /** By the wall clock. */
  readonly retryAt?: number
}

/**
 * `cut`: the last decision had more to write, so the run wants to be woken at once (P-11). `lead`: how far the run's time
 * is ahead of the wall clock, by which it is woken.
 */
export function summaryOf(state: RunState, cut = false, waiting?: GrantTimes, lead = 0): StateSummary {
  const substatus = substatusOf(state)
  const due = nextTimer(state, waiting?.retriesAfter, lead)?.dueAt
  const wakeAt = cut ? state.lastNow - lead : earliest(due === undefined ? due : due - lead, waiting?.retryAt)
  const code = state.status === 'FAILED' ? codeOfFailure(state) : undefined
  return {
    status: state.status,
    ...(substatus === undefined ? {} : { substatus }),
    ...(wakeAt === undefined ? {} : { nextWakeAt: wakeAt }),
    rulesVersion: state.rulesVersion,
    minRulesVersion: state.rulesVersion,
    ...(state.startedAt < 0 ? {} : { startedAt: state.startedAt }),
    ...(state.endedAt < 0 ? {} : { endedAt: state.endedAt }),
    stepsTotal: state.graph.steps.length,
    stepsDone: state.satisfied,
    stepsFailed: state.failed,
    ...(state.inFlight.size > 0 || state.undo?.current?.status === 'RUNNING' ? { owed: true as const } : {}),
    ...(code === undefined ? {} : { errorCode: code }),
  }
}

function codeOfFailure(state: RunState): string | undefined {
  if (state.timedOutAt >= 0) return 'RUN_TIMEOUT'
  return state.compensationOf === '' ? rootCause(state)?.code : undoneFailure(state).code
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}

export function substatusOf(state: RunState): string | undefined {
  if (isTerminalRun(state.status)) return undefined
  const engine = (word: string): string => `${state.engineType}/${word}`
  if (state.cancelling !== undefined) return engine('CANCELLING')
  if (state.undo !== undefined) return engine('COMPENSATING')
  if (state.status === 'PAUSED') return state.inFlight.size > 0 ? 'DRAINING' : undefined
  // Only a run that was queued without approval is seen like this; an empty log says nothing yet.
  if (state.status === 'PENDING') return state.seq > 0 ? 'WAITING_APPROVAL' : undefined
  if (state.status !== 'RUNNING') return undefined
  if (isHeld(state) && state.inFlight.size === 0) return engine('HOLDING')
  return state.backoffs > 0 && !state.failing ? 'RETRYING' : undefined
}

/** A state snapshot is worth writing this often: never more often than the state has slots to write (P-51). */
export function snapshotInterval(state: RunState): number {
  return Math.max(LIMITS.snapshotEveryEvents, state.unitCount)
}
