/**
 * Whether a fork must be approved anew (docs/adr/0008-approvals.md). A run that was queued to wait for a person is not let go by
 * forking it: what was never approved waits again, and an approval that was given is for that run alone.
 */
import type { PlanGraph } from '../../plan/compile/graph.ts'
import { gatesOf } from '../people/approvals.ts'
import type { Standing } from './standing.ts'
import type { ApprovedAbove, RunState } from '../state/state.ts'
import { stepAt } from '../state/units.ts'

/** `waits`: in the queue, for a person. `refused`: it should wait, but what it takes over cannot wait in the queue. */
export type ForkApproval = 'none' | 'waits' | 'refused'

export interface ForkedRun {
  readonly state: RunState
  /** It was queued, and nobody approved it. */
  readonly isUnapproved: boolean
  /** The fork has the plan and the input that were approved. */
  readonly isSame: boolean
  readonly standing: Standing
  /** Of the fork. */
  readonly graph: PlanGraph
}

export function forkApproval({ state, isUnapproved, isSame, standing, graph }: ForkedRun): ForkApproval {
  if (isUnapproved) return standing.taken.length === 0 ? 'waits' : 'refused'
  if (state.approvedBy === '' && state.approved?.inQueue === undefined) return 'none'
  // An approval that was not used is not taken over either: no two forks share one.
  const isUnused = state.startedAt < 0
  if (!isUnused && isSame && unaskedStep(graph, standing) === undefined) return 'none'
  return standing.taken.length === 0 ? 'waits' : 'refused'
}

/** A step that cannot be undone, or a child plan, that the fork would do without a manual step before it. */
export function unaskedStep(graph: PlanGraph, { again }: Standing): string | undefined {
  return [...again.keys()].find((stepId) => {
    const at = graph.indexOf.get(stepId) ?? -1
    const mayRepeat = graph.kinds[at] === 'plan' || stepAt(graph, at).effect === 'irreversible'
    return mayRepeat && !gatesOf(graph, [at]).some((gate) => again.has(graph.stepIds[gate] ?? ''))
  })
}

/** Given to a fork that starts at once, so that its own forks and children know of the approval too. */
export function approvedBefore({ approvedBy, approved }: RunState, runId: string): ApprovedAbove | undefined {
  const inQueue = approvedBy === '' ? approved?.inQueue : { runId, approvedBy }
  return inQueue === undefined ? undefined : { approvals: [], inQueue }
}
