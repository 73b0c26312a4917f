/**
 * How an attempt's failure is judged: retry by policy, fallback, or the end of the step. One place for outcomes,
 * timeouts, expiries and cancellations alike.
 */
import type { ErrorInfo, EventData, Payload } from '../../events/event.ts'
import { isoFromMs } from '../../time.ts'
import { backoffMs, retryDecision } from '../retry.ts'
import type { RunState, Unit } from '../state.ts'
import { isFanParent, kindOfUnit, slotOfUnit, stepAt } from '../units.ts'
import { emit, unitEngineAttempt, type Workspace } from './workspace.ts'

interface FailureDetails {
  readonly error: ErrorInfo
  readonly engineAttempt?: number
  readonly data?: EventData | undefined
  readonly artifactRefs?: Payload<'StepFailed'>['artifactRefs']
  readonly durationMs?: number | undefined
  readonly buildId?: string | undefined
  readonly actorId?: string | undefined
  readonly evidenceRefs?: readonly string[] | undefined
  /** The decider ended the attempt itself; a result that still comes is late. */
  readonly forced?: boolean
  readonly final?: boolean
  readonly failedItem?: number
}

export const CANCELLED_ERROR: ErrorInfo = { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' }
export const TIMEOUT_ERROR: ErrorInfo = {
  code: 'TIMEOUT',
  retryable: true,
  errorClass: 'timeout',
  category: 'timeout',
  failureCategory: 'TIMEOUT',
}

/** Whether an irreversible effect happened is not known: it is never run again, and the run holds (P-28). */
export const INDETERMINATE_ERROR: ErrorInfo = {
  code: 'INDETERMINATE',
  retryable: false,
  errorClass: 'permanent',
  category: 'infrastructure',
}

/** The run was cancelled or timed out, and what is in flight is asked to stop. */
export function isStopping(state: RunState): boolean {
  return state.cancelling !== undefined || state.timedOutAt >= 0
}

export function failStep(ws: Workspace, unit: Unit, details: FailureDetails): void {
  const engineAttempt = details.engineAttempt ?? unitEngineAttempt(ws, unit)
  const error = outOfTimeForGood(ws, unit, details) ? INDETERMINATE_ERROR : details.error
  const verdict = judge(ws, unit, { ...details, error })
  const payload: Payload<'StepFailed'> = {
    error,
    failedAt: ws.nowIso,
    final: verdict.kind !== 'retry',
    ...(verdict.kind === 'retry' ? { retryAt: isoFromMs(ws.now + verdict.delayMs) } : {}),
    ...(verdict.kind === 'fallback' ? { fallback: true } : {}),
    ...(details.artifactRefs === undefined ? {} : { artifactRefs: details.artifactRefs }),
    ...(details.durationMs === undefined ? {} : { durationMs: details.durationMs }),
    ...waitedMs(ws, unit),
    ...(details.buildId === undefined ? {} : { buildId: details.buildId }),
    ...(details.actorId === undefined ? {} : { actorId: details.actorId }),
    ...(details.evidenceRefs === undefined ? {} : { evidenceRefs: details.evidenceRefs }),
    ...(details.forced === true ? { forced: true } : {}),
    ...(details.failedItem === undefined ? {} : { failedItem: details.failedItem }),
    ...(engineAttempt > 1 ? { mayHaveRunTwice: true } : {}),
  }
  emit(ws, 'StepFailed', slotOfUnit(ws.state.graph, unit), unit.attempt, payload, {
    engineAttempt,
    data: details.data,
    unit,
  })
}

/**
 * How long a step took that nobody of ours was at work on: a person, a child run or time itself. Only the log's own
 * instants tell; version 1 said nothing or 0.
 */
export function waitedMs({ state, now }: Workspace, unit: Unit): { readonly durationMs?: number } {
  const kind = kindOfUnit(state.graph, unit)
  const isTold = kind === 'manual' || kind === 'plan' || kind === 'wait'
  if (!isTold || isFanParent(state.graph, unit) || state.rulesVersion < 2) return {}
  return { durationMs: Math.max(0, now - unit.startedAt) }
}

/** An executor that ran out of time was abandoned, not stopped: its irreversible effect may still happen. */
function outOfTimeForGood(ws: Workspace, unit: Unit, { error }: FailureDetails): boolean {
  return error.errorClass === 'timeout' && stepAt(ws.state.graph, unit.step).effect === 'irreversible'
}

type Verdict =
  { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'fallback' } | { readonly kind: 'final' }

function judge(ws: Workspace, unit: Unit, details: FailureDetails): Verdict {
  const { state } = ws
  const neverAgain =
    details.final === true || details.error.code === 'INDETERMINATE' || details.error.errorClass === 'cancelled'
  if (neverAgain || state.cancelling !== undefined || state.failing) return { kind: 'final' }
  const step = stepAt(state.graph, unit.step)
  const decision = retryDecision(step.retry, details.error.errorClass, unit.attempt)
  if (decision === 'retry') return { kind: 'retry', delayMs: backoffMs(step.retry, unit.attempt) }
  const mayFallBack = step.fallback !== undefined && !unit.fallback && step.fallbackOn.includes(decision)
  return mayFallBack ? { kind: 'fallback' } : { kind: 'final' }
}
