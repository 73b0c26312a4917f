/**
 * explain: why a slot is in its state, from the folded state alone: every cause, and what would unblock it. What the log does not
 * hold (handlers, scope pauses, grants) comes in as `outside`.
 */
import { appendAll } from '../../collections/append-all.ts'
import { vectorGet } from '../../collections/vector.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import { eventOf, type RetryPolicy } from '../../plan/plan.ts'
import { isHeld } from '../failure/held.ts'
import { rootCause } from '../failure/root-cause.ts'
import { failedAncestors, failureCauses, neededDecision, type FailureCause } from './failure.ts'
import { itemPlacesLeft } from '../state/item-places.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { isParked, kindOfUnit, locate, maxAttemptsOf, slotOfUnit, stepAt, stepUnit } from '../state/units.ts'
import { whoMayComplete } from '../people/who-may.ts'
import { notStarted, type ForPeople, type NotStartedCause } from './not-started.ts'
import { eventCause, type EventCause } from './event-wait.ts'
import { isSettled, openDependencies } from './open-dependencies.ts'
import type { WorkerCause } from './worker-wait.ts'
import { compensationCauses, type CompensationCause } from './compensation.ts'

export type Cause =
  | NotStartedCause
  | { readonly kind: 'run-ended'; readonly status: string; readonly rootCause?: string; readonly code?: string }
  /** The reason is only in the log; the reader of the log adds it. */
  | {
      readonly kind: 'run-paused'
      readonly since: number
      readonly scopes: readonly string[]
      readonly reason?: string
    }
  | { readonly kind: 'run-cancelling'; readonly until: number; readonly inFlight: number }
  | { readonly kind: 'run-failing'; readonly rootCause?: string; readonly code?: string }
  | { readonly kind: 'run-held'; readonly slot: string; readonly code: string }
  | CompensationCause
  /** The run starts no step: it undoes what another has finished. */
  | { readonly kind: 'run-undoes'; readonly runId: string }
  | { readonly kind: 'succeeded'; readonly runSeq: number }
  | { readonly kind: 'skipped' }
  | {
      readonly kind: 'running'
      readonly attempt: number
      readonly maxAttempts: RetryPolicy['maxAttempts']
      readonly since: number
    }
  | ({ readonly kind: 'waiting-for-person'; readonly since: number; readonly expiresAt?: number } & ForPeople &
      TaskNews)
  | { readonly kind: 'waiting-until'; readonly at: number }
  | EventCause
  | {
      readonly kind: 'waiting-for-child'
      readonly attempt: number
      readonly since: number
      readonly childRunId?: string
    }
  | {
      readonly kind: 'backoff'
      readonly attempt: number
      readonly maxAttempts: RetryPolicy['maxAttempts']
      readonly retryAt: number
      readonly code: string
    }
  | { readonly kind: 'failed'; readonly attempt: number; readonly code: string; readonly runSeq: number }
  | { readonly kind: 'recovered'; readonly code: string }
  /** The step failed, and the plan goes on: `onFailure: continue`. */
  | { readonly kind: 'failure-handled'; readonly attempt: number; readonly code: string; readonly runSeq: number }
  | {
      readonly kind: 'items'
      readonly done: number
      readonly failed: number
      readonly running: number
      readonly total: number
    }
  | { readonly kind: 'dependency'; readonly stepId: string; readonly status: string; readonly final: boolean }
  | { readonly kind: 'no-free-slot'; readonly limit: number; readonly items?: true }
  | { readonly kind: 'unknown-slot' }
  | GrantCause
  | WorkerCause
  | FailureCause
  | { readonly kind: 'outside'; readonly why: string }

/** For an open task. It is in the log and the inbox; the reader of these adds it. */
export interface TaskNews {
  /** What was changed in the run after the task was opened, the latest changes. */
  readonly changed?: readonly RunChange[]
  /** A completion that waits until somebody drives the run. */
  readonly sent?: SentWord
}

export interface RunChange {
  readonly signalType: string
  readonly actorId?: string
  /** The step that it changes; absent: the input of the run. */
  readonly target?: string
  readonly reason?: string
  readonly at: number
  readonly runSeq: number
}

export interface SentWord {
  readonly actorId: string
  readonly outcome: 'Succeeded' | 'Failed' | 'Cancelled'
  readonly at: number
}

/** A pool that spans runs has no room for it now. */
export interface GrantCause {
  readonly kind: 'waiting-for-grant'
  readonly slot: string
  readonly pool: string
  readonly wants: number
  readonly used: number
  readonly capacity: number
  readonly waiting: number
  readonly since: number
  /** Units are given out anew every so many milliseconds. */
  readonly windowMs?: number
  /** The pool's breaker lets nothing through until then. */
  readonly openUntil?: number
}

export interface Outside {
  /** Pools the slot waits for. */
  readonly grants?: readonly GrantCause[]
  /** Things the log does not tell, in the reader's words: "no process has the handler x". */
  readonly reasons?: readonly string[]
}

export function explain(
  graph: PlanGraph,
  state: RunState,
  slot: string,
  now: number,
  outside: Outside = {},
): readonly Cause[] {
  const found = locate(state, slot)
  if (found === undefined) return [{ kind: 'unknown-slot' }]
  const causes = [
    ...ofUnit(graph, state, found.unit, now),
    ...(outside.grants ?? []),
    ...ofRun(graph, state, found.unit),
  ]
  return [...causes, ...(outside.reasons ?? []).map((why): Cause => ({ kind: 'outside', why }))]
}

/** What holds the run as a whole, for a slot that has not settled. */
function ofRun(graph: PlanGraph, state: RunState, unit: Unit): Cause[] {
  if (isSettled(unit)) return []
  if (state.compensationOf !== '') return [{ kind: 'run-undoes', runId: state.compensationOf }]
  const root = rootCause(state)
  const named = root === undefined ? {} : { rootCause: root.slot, code: root.code }
  if (isTerminalRun(state.status)) return [{ kind: 'run-ended', status: state.status, ...named }]
  if (state.status === 'PENDING' || state.status === 'APPROVED') return [notStarted(state)]
  const causes: Cause[] = []
  if (state.status === 'PAUSED') causes.push({ kind: 'run-paused', since: state.pausedAt, scopes: state.scopePauses })
  if (state.cancelling !== undefined)
    causes.push({ kind: 'run-cancelling', until: state.cancelling.graceUntil, inFlight: state.inFlight.size })
  const current = state.compensation?.current
  if (current !== undefined)
    causes.push({
      kind: 'undoing',
      slot: current.slot,
      attempt: current.attempt,
      ...(current.dueAt < 0 ? {} : { retryAt: current.dueAt }),
    })
  else if (state.failing) causes.push({ kind: 'run-failing', ...named })
  if (isHeld(state) && root !== undefined && unit.status !== 'FAILED')
    appendAll(causes, [{ kind: 'run-held', slot: root.slot, code: root.code }, ...heldBy(graph, state, root.slot)])
  return causes
}

function heldBy(graph: PlanGraph, state: RunState, slot: string): readonly Cause[] {
  const found = locate(state, slot)
  return found === undefined ? [] : neededDecision(graph, state, found.unit.step)
}

function ofUnit(graph: PlanGraph, state: RunState, unit: Unit, now: number): Cause[] {
  switch (unit.status) {
    case 'SUCCESS':
      return [{ kind: 'succeeded', runSeq: unit.outputSeq }, ...compensationCauses(state, unit)]
    case 'SKIPPED':
      return [{ kind: 'skipped' }, ...failedAncestors(graph, state, unit.step)]
    case 'RUNNING':
      return ofRunning(graph, state, unit, now)
    case 'FAILED':
      if (unit.recovered && !isSavedByFallback(graph, state, unit)) {
        const { attempt, errorCode: code, failedSeq: runSeq } = unit
        return [{ kind: 'failure-handled', attempt, code, runSeq }, ...failureCauses(graph, state, unit)]
      }
      if (unit.recovered)
        return [{ kind: 'recovered', code: unit.errorCode }, ...compensationCauses(state, { ...unit, fallback: true })]
      if (unit.backoff)
        return [
          {
            kind: 'backoff',
            attempt: unit.attempt,
            maxAttempts: maxAttemptsOf(graph, unit),
            retryAt: unit.dueAt + state.pausedMs,
            code: unit.errorCode,
          },
        ]
      if (unit.fallbackOpen) return ofFallback(graph, state, unit, now)
      return [
        { kind: 'failed', attempt: unit.attempt, code: unit.errorCode, runSeq: unit.failedSeq },
        ...failureCauses(graph, state, unit),
      ]
    case 'PENDING':
      return ofPending(graph, state, unit)
  }
}

function isSavedByFallback(graph: PlanGraph, state: RunState, unit: Unit): boolean {
  return locate(state, slotOfUnit(graph, { ...unit, fallback: true }))?.unit.status === 'SUCCESS'
}

function ofFallback(graph: PlanGraph, state: RunState, unit: Unit, now: number): Cause[] {
  const fallback = locate(state, slotOfUnit(graph, { ...unit, fallback: true }))
  const failed: Cause = { kind: 'failed', attempt: unit.attempt, code: unit.errorCode, runSeq: unit.failedSeq }
  return fallback === undefined ? [failed] : [failed, ...ofUnit(graph, state, fallback.unit, now)]
}

function ofRunning(graph: PlanGraph, state: RunState, unit: Unit, now: number): Cause[] {
  const { fan } = unit
  if (fan !== undefined)
    return [
      { kind: 'items', done: fan.done, failed: fan.failed.size, running: fan.running + fan.waiting, total: fan.count },
    ]
  const since = unit.startedAt
  switch (kindOfUnit(graph, unit)) {
    case 'manual': {
      const expires = unit.timeoutAt < 0 ? {} : { expiresAt: unit.timeoutAt }
      const whoMay = whoMayComplete(state, stepAt(graph, unit.step))
      return [{ kind: 'waiting-for-person', since, ...expires, ...(whoMay === undefined ? {} : { whoMay }) }]
    }
    case 'wait': {
      const event = eventOf(stepAt(graph, unit.step))
      if (event !== undefined) return [eventCause(event, unit)]
      return [
        {
          kind: 'waiting-until',
          at: unit.dueIsActive
            ? unit.dueAt + state.pausedMs + (state.pausedAt < 0 ? 0 : now - state.pausedAt)
            : unit.dueAt,
        },
      ]
    }
    case 'plan':
      return [{ kind: 'waiting-for-child', attempt: unit.attempt, since }]
    default:
      return [{ kind: 'running', attempt: unit.attempt, maxAttempts: maxAttemptsOf(graph, unit), since }]
  }
}

function ofPending(graph: PlanGraph, state: RunState, unit: Unit): Cause[] {
  if (unit.item >= 0 && itemPlacesLeft(state, stepUnit(state, unit.step)) <= 0)
    return [{ kind: 'no-free-slot', limit: graph.itemLimits[unit.step] ?? 0, items: true }]
  const open =
    vectorGet(state.pending, unit.step) === 0
      ? []
      : openDependencies(graph, state, unit.step).map((step): Cause => {
          const other = stepUnit(state, step)
          return {
            kind: 'dependency',
            stepId: stepAt(graph, step).stepId,
            status: other.backoff ? 'RETRYING' : other.status,
            final: other.final,
          }
        })
  const full = open.length === 0 && state.status === 'RUNNING' && state.slotsInUse >= state.limit
  return full && !isParked(graph, unit) ? [{ kind: 'no-free-slot', limit: state.limit }] : open
}
