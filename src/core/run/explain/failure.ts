/**
 * What is behind a failure or a skip, from the state alone: the items and the fallback that failed with a step, the failed
 * steps a skipped one needed, and which signals would be taken now. A signal is offered only if the rules would take it.
 */
import { appendAll } from '../../collections/append-all.ts'
import { bitMembers } from '../../collections/bit-tree.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import { isHeld } from '../failure/held.ts'
import { signalVerdict } from '../signals/rules.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { isTerminalRun } from '../state/transitions.ts'
import { locate, slotOfUnit, stepAt, stepUnit, unitAt } from '../state/units.ts'

interface FailedSlot {
  readonly slot: string
  readonly attempt: number
  readonly code: string
  readonly runSeq: number
}

export type FailureCause =
  /** The fallback of the step failed too. */
  | ({ readonly kind: 'fallback-failed' } & FailedSlot)
  /** An item of a forEach that failed for good; the first few of them. */
  | ({ readonly kind: 'item-failed'; readonly more: number } & FailedSlot)
  /** Why a step was skipped as DEPENDENCY_FAILED: a step it needs, directly or through others, failed. */
  | ({ readonly kind: 'ancestor-failed' } & FailedSlot)
  /** An irreversible attempt began, and nobody knows how it ended. */
  | { readonly kind: 'indeterminate'; readonly attempt: number; readonly since: number; readonly runSeq: number }
  /** The run waits for a person; these signals would be taken now, for this step. */
  | { readonly kind: 'needs-decision'; readonly stepId: string; readonly signals: readonly WayOut[] }

export type WayOut = 'SKIP_STEP' | 'RETRY_STEP' | 'CANCEL'

const ITEMS_TOLD = 3
const ANCESTORS_TOLD = 5

/** Of a unit that failed for good and that nothing made up for. */
export function failureCauses(graph: PlanGraph, state: RunState, unit: Unit): readonly FailureCause[] {
  const behind = [...failedFallback(graph, state, unit), ...failedItems(graph, state, unit)]
  const { attempt, startedAt: since, failedSeq: runSeq, errorCode } = unit
  const unknown = errorCode === 'INDETERMINATE' && unit.fan === undefined
  return [
    ...behind,
    ...(unknown ? [{ kind: 'indeterminate', attempt, since, runSeq } as const] : []),
    ...neededDecision(graph, state, unit.step),
  ]
}

function failedFallback(graph: PlanGraph, state: RunState, unit: Unit): readonly FailureCause[] {
  if (unit.fallback || stepAt(graph, unit.step).fallback === undefined) return []
  const slot = slotOfUnit(graph, { ...unit, fallback: true })
  const fallback = locate(state, slot)?.unit
  // An earlier attempt of the step may have had one too; only what failed after it is behind this failure.
  if (fallback?.status !== 'FAILED' || fallback.failedSeq < unit.failedSeq) return []
  return [{ kind: 'fallback-failed', ...failedSlot(slot, fallback) }]
}

function failedItems(graph: PlanGraph, state: RunState, { step, fan }: Unit): readonly FailureCause[] {
  if (fan === undefined) return []
  const failed = [...bitMembers(fan.failed)]
  return failed.slice(0, ITEMS_TOLD).map((item, index) => {
    const unit = unitAt(state, fan.base + item, step, item, false)
    const last = index === Math.min(ITEMS_TOLD, failed.length) - 1
    const more = last ? failed.length - index - 1 : 0
    return { kind: 'item-failed', more, ...failedSlot(slotOfUnit(graph, unit), unit) } as const
  })
}

function failedSlot(slot: string, { attempt, errorCode: code, failedSeq: runSeq }: Unit): FailedSlot {
  return { slot, attempt, code, runSeq }
}

/** The failed steps a skipped step needed, nearest first. A sequence under `continue` is order only: there it needs none. */
export function failedAncestors(graph: PlanGraph, state: RunState, step: number): readonly FailureCause[] {
  if (graph.sequential && graph.plan.policy.onFailure === 'continue') return []
  const seen = new Set([step])
  const found: FailureCause[] = []
  const open = [...(graph.dependencies[step] ?? [])]
  for (let at = open.shift(); at !== undefined && found.length < ANCESTORS_TOLD; at = open.shift()) {
    if (seen.has(at)) continue
    seen.add(at)
    const unit = stepUnit(state, at)
    if (unit.status === 'FAILED' && !unit.recovered)
      found.push({ kind: 'ancestor-failed', ...failedSlot(stepAt(graph, at).stepId, unit) })
    else if (unit.status === 'SKIPPED' || unit.status === 'PENDING') appendAll(open, graph.dependencies[at] ?? [])
  }
  return found
}

/** Signals go to a step, never to one of its items or to its fallback. */
export function neededDecision(graph: PlanGraph, state: RunState, step: number): readonly FailureCause[] {
  if (isTerminalRun(state.status) || !isHeld(state)) return []
  const { stepId } = stepAt(graph, step)
  const signals = (['SKIP_STEP', 'RETRY_STEP', 'CANCEL'] as const).filter((type) => isTaken(state, type, stepId))
  return signals.length === 0 ? [] : [{ kind: 'needs-decision', stepId, signals }]
}

function isTaken(state: RunState, signalType: WayOut, stepId: string): boolean {
  const payload = signalType === 'CANCEL' ? {} : { stepId }
  const authorization = { allowed: true, policyDecisionId: 'explain' }
  return signalVerdict(state, signalType, { payload, authorization }) === undefined
}
