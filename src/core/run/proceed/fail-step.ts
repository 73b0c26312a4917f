/**
 * How an attempt's failure is judged: retry by policy, fallback, or the end of the step. One place for outcomes,
 * timeouts, expiries and cancellations alike.
 */
import type { ErrorInfo, EventData, Payload } from '../../events/event.ts'
import { isoFromMs } from '../../time.ts'
import { EVENT_TIMEOUT_ERROR, INDETERMINATE_ERROR } from '../failure/step-errors.ts'
import { backoffMs, retryDecision } from '../failure/retry.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { isFanParent, kindOfUnit, slotOfUnit, stepAt } from '../state/units.ts'
import { isReleased } from '../people/approvals.ts'
import { judgesPeople } from '../people/judge-person.ts'
import { emit, unitEngineAttempt, type Workspace } from './workspace.ts'

interface FailureDetails {
  readonly error: ErrorInfo
  readonly engineAttempt?: number
  readonly data?: EventData | undefined
  readonly artifactRefs?: Payload<'StepFailed'>['artifactRefs']
  readonly durationMs?: number | undefined
  readonly buildId?: string | undefined
  readonly actorId?: string | undefined
  readonly actorRoles?: readonly string[] | undefined
  readonly evidenceRefs?: readonly string[] | undefined
  readonly people?: Payload<'StepFailed'>['people']
  /** The decider ended the attempt itself; a result that still comes is late. */
  readonly forced?: boolean
  readonly final?: boolean
  /** It is not tried again whatever the policy says; a fallback may follow. */
  readonly exhausted?: boolean
  readonly receivedEvent?: Payload<'StepFailed'>['receivedEvent']
  readonly failedItem?: number
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
    ...(verdict.kind === 'spent' ? { approvalSpent: true } : {}),
    ...(isHandled(ws, unit, verdict, error) ? { handled: true } : {}),
    ...(details.artifactRefs === undefined ? {} : { artifactRefs: details.artifactRefs }),
    ...(details.durationMs === undefined ? {} : { durationMs: details.durationMs }),
    ...waitedMs(ws, unit),
    ...(details.buildId === undefined ? {} : { buildId: details.buildId }),
    ...(details.actorId === undefined ? {} : { actorId: details.actorId }),
    ...(details.actorRoles === undefined ? {} : { actorRoles: details.actorRoles }),
    ...(details.evidenceRefs === undefined ? {} : { evidenceRefs: details.evidenceRefs }),
    ...(details.people === undefined ? {} : { people: details.people }),
    ...(details.receivedEvent === undefined ? {} : { receivedEvent: details.receivedEvent }),
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
 * How long a step took that no executor worked on: a person, a child run or a timer did. Only the instants in the log tell; rules
 * version 1 recorded nothing or 0.
 */
export function waitedMs({ state, now }: Workspace, unit: Unit): { readonly durationMs?: number } {
  const kind = kindOfUnit(state.graph, unit)
  const isTold = kind === 'manual' || kind === 'plan' || kind === 'wait'
  if (!isTold || isFanParent(state.graph, unit) || state.rulesVersion < 2) return {}
  return { durationMs: Math.max(0, now - unit.startedAt) }
}

/** An executor that ran out of time was abandoned, not stopped: its irreversible effect may still happen. */
function outOfTimeForGood(ws: Workspace, unit: Unit, { error }: FailureDetails): boolean {
  if (error.code === EVENT_TIMEOUT_ERROR.code) return false
  return error.errorClass === 'timeout' && stepAt(ws.state.graph, unit.step).effect === 'irreversible'
}

/** What was stopped or may have happened is never passed over (P-28); of items, the end of their step is judged. */
function isHandled(ws: Workspace, unit: Unit, { kind }: Verdict, { code, errorClass }: ErrorInfo): boolean {
  if (kind === 'retry' || kind === 'fallback' || unit.item >= 0) return false
  if (code === 'INDETERMINATE' || errorClass === 'cancelled') return false
  return stepAt(ws.state.graph, unit.step).onFailure === 'continue'
}

type Verdict =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'fallback' }
  | { readonly kind: 'final' }
  /** The step would be retried, but its approval was for one dispatch (MAN-13). */
  | { readonly kind: 'spent' }

function judge(ws: Workspace, unit: Unit, details: FailureDetails): Verdict {
  const verdict = byPolicy(ws, unit, details)
  const goesOn = verdict.kind === 'retry' || verdict.kind === 'fallback'
  return goesOn && judgesPeople(ws.state) && isReleased(ws.state, unit.step) ? { kind: 'spent' } : verdict
}

function byPolicy(ws: Workspace, unit: Unit, details: FailureDetails): Verdict {
  const { state } = ws
  const neverAgain =
    details.final === true || details.error.code === 'INDETERMINATE' || details.error.errorClass === 'cancelled'
  if (neverAgain || state.cancelling !== undefined || state.failing) return { kind: 'final' }
  const step = stepAt(state.graph, unit.step)
  const decision =
    details.exhausted === true ? 'exhausted' : retryDecision(step.retry, details.error.errorClass, unit.attempt)
  if (decision === 'retry') return { kind: 'retry', delayMs: backoffMs(step.retry, unit.attempt) }
  const mayFallBack = step.fallback !== undefined && !unit.fallback && step.fallbackOn.includes(decision)
  return mayFallBack ? { kind: 'fallback' } : { kind: 'final' }
}
