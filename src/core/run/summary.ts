/**
 * What the run row shows of a state: status, substatus, the next instant it must be woken, and counts (STO-27).
 */
import { OUTSIDE_ENGINES } from '../engine/engine-type.ts'
import { LIMITS } from '../limits.ts'
import { isHeld } from './failure/held.ts'
import { rootCause } from './failure/root-cause.ts'
import { compensationFailure } from './compensation/summary.ts'
import { SLOTS_KNOWN, type RunState } from './state/state.ts'
import { nextTimer } from './state/timers.ts'
import { isTerminalRun, type RunStatus } from './state/transitions.ts'

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
  const summary: Writable = {
    status: state.status,
    rulesVersion: state.rulesVersion,
    minRulesVersion: Math.max(state.rulesVersion, SLOTS_KNOWN),
    stepsTotal: state.graph.steps.length,
    stepsDone: state.satisfied,
    stepsFailed: state.failed,
  }
  if (substatus !== undefined) summary.substatus = substatus
  if (wakeAt !== undefined) summary.nextWakeAt = wakeAt
  if (state.startedAt >= 0) summary.startedAt = state.startedAt
  if (state.endedAt >= 0) summary.endedAt = state.endedAt
  if (state.inFlight.size > 0 || state.compensation?.current?.status === 'RUNNING') summary.owed = true
  if (code !== undefined) summary.errorCode = code
  return summary
}

/** Every turn makes one: fields that are there only sometimes are set one by one, which costs less than spreading. */
type Writable = { -readonly [K in keyof StateSummary]: StateSummary[K] }

function codeOfFailure(state: RunState): string | undefined {
  if (state.timedOutAt >= 0) return 'RUN_TIMEOUT'
  return state.compensationOf === '' ? rootCause(state)?.code : compensationFailure(state).code
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}

export function substatusOf(state: RunState): string | undefined {
  if (isTerminalRun(state.status)) return undefined
  const engine = (word: string): string => `${state.engineType}/${word}`
  if (state.cancelling !== undefined) return engine('CANCELLING')
  if (state.compensation !== undefined) return engine('COMPENSATING')
  if (state.status === 'PAUSED' && state.inFlight.size === 0) return undefined
  if (state.status === 'PAUSED') return state.drainTimedOut === true ? engine('DRAIN_TIMED_OUT') : 'DRAINING'
  // An empty log says nothing yet.
  if (state.status === 'PENDING') return state.seq > 0 && !state.autoApproves ? 'WAITING_APPROVAL' : undefined
  if (state.status !== 'RUNNING') return undefined
  if (isHeld(state) && state.inFlight.size === 0) return engine('HOLDING')
  return state.backoffs > 0 && !state.failing ? 'RETRYING' : undefined
}

/** How often a checkpoint is worth writing: never more often than the state has slots to write (P-51). */
export function checkpointInterval(state: RunState): number {
  return Math.max(LIMITS.checkpointEveryEvents, state.unitCount)
}

/**
 * The instant in a run's row may be early, never late (P-25): a run that is woken too early finds nothing due and sets it
 * right. So a step forward keeps the earlier instant that is there, and the row changes nothing that an index has: a
 * database then writes the row alone. Engines that wake their runs themselves are told when a run is overdue, not when
 * to wake it: theirs is exact.
 */
type RowBefore = Pick<StateSummary, 'status' | 'nextWakeAt'>

/** What the row says after a turn that ended in this state. */
export function keptWake(before: RowBefore, state: RunState, exact: StateSummary, wall: number): StateSummary {
  const kept = before.nextWakeAt
  if (kept === undefined || exact.nextWakeAt === undefined || !mayBeEarly(before, state)) return exact
  return kept > wall && kept < exact.nextWakeAt ? { ...exact, nextWakeAt: kept } : exact
}

/** The row may have had the run woken too early: then this is set right, although nothing else is to be written. */
export function mayBeWokenEarly(before: RowBefore, state: RunState, wall: number): boolean {
  return (before.nextWakeAt ?? Infinity) <= wall && mayBeEarly(before, state)
}

function mayBeEarly(before: RowBefore, state: RunState): boolean {
  const goesOn = before.status === 'RUNNING' && state.status === 'RUNNING'
  return goesOn && !OUTSIDE_ENGINES.some((engine) => engine === state.engineType)
}
