/**
 * explain: why a slot is where it is, from the state alone: every cause, and what would unblock it. What the log does
 * not hold (handlers, scope pauses, grants) comes in as `outside`.
 */
import { vectorGet } from '../collections/vector.ts'
import type { PlanGraph } from '../plan/graph.ts'
import { isHeld } from './decide/proceed.ts'
import { rootCause } from './decide/finish.ts'
import { failedAncestors, failureCauses, neededDecision, type FailureCause } from './explain-failure.ts'
import type { RunState, Unit } from './state.ts'
import { isTerminalRun } from './transitions.ts'
import { isParked, kindOfUnit, locate, slotOfUnit, stepAt, stepUnit } from './units.ts'
import { ofUndoing, type UndoCause } from './explain-undo.ts'

export type Cause =
  | { readonly kind: 'run-not-started'; readonly status: string; readonly notBefore?: number }
  | { readonly kind: 'run-ended'; readonly status: string; readonly rootCause?: string; readonly code?: string }
  /** The reason is in the log alone; whoever reads that adds it. */
  | {
      readonly kind: 'run-paused'
      readonly since: number
      readonly scopes: readonly string[]
      readonly reason?: string
    }
  | { readonly kind: 'run-cancelling'; readonly until: number; readonly inFlight: number }
  | { readonly kind: 'run-failing'; readonly rootCause?: string; readonly code?: string }
  | { readonly kind: 'run-held'; readonly slot: string; readonly code: string }
  | UndoCause
  /** The run starts no step: it undoes what another has finished. */
  | { readonly kind: 'run-undoes'; readonly runId: string }
  | { readonly kind: 'succeeded'; readonly runSeq: number }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'running'; readonly attempt: number; readonly maxAttempts: number; readonly since: number }
  | { readonly kind: 'waiting-for-person'; readonly since: number; readonly expiresAt?: number }
  | { readonly kind: 'waiting-until'; readonly at: number }
  | {
      readonly kind: 'waiting-for-child'
      readonly attempt: number
      readonly since: number
      readonly childRunId?: string
    }
  | {
      readonly kind: 'backoff'
      readonly attempt: number
      readonly maxAttempts: number
      readonly retryAt: number
      readonly code: string
    }
  | { readonly kind: 'failed'; readonly attempt: number; readonly code: string; readonly runSeq: number }
  | { readonly kind: 'recovered'; readonly code: string }
  | {
      readonly kind: 'items'
      readonly done: number
      readonly failed: number
      readonly running: number
      readonly total: number
    }
  | { readonly kind: 'dependency'; readonly stepId: string; readonly status: string; readonly final: boolean }
  | { readonly kind: 'no-free-slot'; readonly limit: number }
  | { readonly kind: 'unknown-slot' }
  | GrantCause
  | FailureCause
  | { readonly kind: 'outside'; readonly why: string }

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
    ...ofRun(graph, state, found.unit, now),
  ]
  return [...causes, ...(outside.reasons ?? []).map((why): Cause => ({ kind: 'outside', why }))]
}

function isSettled(unit: Unit): boolean {
  return unit.status === 'SUCCESS' || unit.status === 'SKIPPED' || unit.recovered
}

/** What holds the run as a whole, for a slot that has not settled. */
function ofRun(graph: PlanGraph, state: RunState, unit: Unit, now: number): Cause[] {
  if (isSettled(unit)) return []
  if (state.compensationOf !== '') return [{ kind: 'run-undoes', runId: state.compensationOf }]
  const root = rootCause(state)
  const named = root === undefined ? {} : { rootCause: root.slot, code: root.code }
  if (isTerminalRun(state.status)) return [{ kind: 'run-ended', status: state.status, ...named }]
  if (state.status === 'PENDING' || state.status === 'APPROVED') {
    return [
      { kind: 'run-not-started', status: state.status, ...(state.notBefore < 0 ? {} : { notBefore: state.notBefore }) },
    ]
  }
  const causes: Cause[] = []
  if (state.status === 'PAUSED') causes.push({ kind: 'run-paused', since: state.pausedAt, scopes: state.scopePauses })
  if (state.cancelling !== undefined)
    causes.push({ kind: 'run-cancelling', until: state.cancelling.graceUntil, inFlight: state.inFlight.size })
  const current = state.undo?.current
  if (current !== undefined)
    causes.push({
      kind: 'undoing',
      slot: current.slot,
      attempt: current.attempt,
      ...(current.dueAt < 0 ? {} : { retryAt: current.dueAt }),
    })
  else if (state.failing) causes.push({ kind: 'run-failing', ...named })
  if (isHeld(state) && root !== undefined && unit.status !== 'FAILED')
    causes.push({ kind: 'run-held', slot: root.slot, code: root.code }, ...heldBy(graph, state, root.slot, now))
  return causes
}

function heldBy(graph: PlanGraph, state: RunState, slot: string, now: number): readonly Cause[] {
  const found = locate(state, slot)
  return found === undefined ? [] : neededDecision(graph, state, found.unit.step, now)
}

function ofUnit(graph: PlanGraph, state: RunState, unit: Unit, now: number): Cause[] {
  const { maxAttempts } = stepAt(graph, unit.step).retry
  switch (unit.status) {
    case 'SUCCESS':
      return [{ kind: 'succeeded', runSeq: unit.outputSeq }, ...ofUndoing(state, unit)]
    case 'SKIPPED':
      return [{ kind: 'skipped' }, ...failedAncestors(graph, state, unit.step)]
    case 'RUNNING':
      return ofRunning(graph, state, unit, now)
    case 'FAILED':
      if (unit.recovered)
        return [{ kind: 'recovered', code: unit.errorCode }, ...ofUndoing(state, { ...unit, fallback: true })]
      if (unit.backoff)
        return [
          {
            kind: 'backoff',
            attempt: unit.attempt,
            maxAttempts,
            retryAt: unit.dueAt + state.pausedMs,
            code: unit.errorCode,
          },
        ]
      if (unit.fallbackOpen) return ofFallback(graph, state, unit, now)
      return [
        { kind: 'failed', attempt: unit.attempt, code: unit.errorCode, runSeq: unit.failedSeq },
        ...failureCauses(graph, state, unit, now),
      ]
    case 'PENDING':
      return ofPending(graph, state, unit)
  }
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
    case 'manual':
      return [{ kind: 'waiting-for-person', since, ...(unit.timeoutAt < 0 ? {} : { expiresAt: unit.timeoutAt }) }]
    case 'wait':
      return [
        {
          kind: 'waiting-until',
          at: unit.dueIsActive
            ? unit.dueAt + state.pausedMs + (state.pausedAt < 0 ? 0 : now - state.pausedAt)
            : unit.dueAt,
        },
      ]
    case 'plan':
      return [{ kind: 'waiting-for-child', attempt: unit.attempt, since }]
    default:
      return [
        { kind: 'running', attempt: unit.attempt, maxAttempts: stepAt(graph, unit.step).retry.maxAttempts, since },
      ]
  }
}

function ofPending(graph: PlanGraph, state: RunState, unit: Unit): Cause[] {
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

/** Steps that a step waits for. One that was skipped early keeps its place: what it would have waited for counts. */
function openDependencies(graph: PlanGraph, state: RunState, step: number): readonly number[] {
  const found = new Set<number>()
  const seen = new Set<number>()
  const look = [...(graph.dependencies[step] ?? [])]
  for (let at = look.shift(); at !== undefined; at = look.shift()) {
    if (seen.has(at)) continue
    seen.add(at)
    const other = stepUnit(state, at)
    const orderOnly = other.status === 'FAILED' && graph.sequential && graph.plan.policy.onFailure === 'continue'
    if (other.status === 'SKIPPED') look.push(...(graph.dependencies[at] ?? []))
    else if (!isSettled(other) && !orderOnly) found.add(at)
  }
  return [...found]
}
