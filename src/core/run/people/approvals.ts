/**
 * What an approval is good for (docs/adr/0008-approvals.md): the success of a manual step releases what cannot be undone after
 * it, each step for one dispatch, with the input as it was then. A step is released by the manual steps before it that have no
 * other manual step between; where there is none, by what was approved in the run that this one belongs to.
 */
import { appendAll } from '../../collections/append-all.ts'
import { jsonBytesOf } from '../../json/json-bytes-of.ts'
import { LIMITS } from '../../limits.ts'
import { TRAIT, type PlanGraph } from '../../plan/compile/graph.ts'
import type { ApprovedAbove, RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { hasTrait, stepAt, stepUnit } from '../state/units.ts'

export interface GivenApproval {
  /** The run it was given in; absent: this one. */
  readonly runId?: string
  readonly stepId: string
  /** Of the manual step's success. */
  readonly runSeq: number
}

/** The manual steps that release these steps; what was `seen` before is not gone through again. */
export function gatesOf(graph: PlanGraph, steps: readonly number[], seen = new Set<number>()): readonly number[] {
  const gates = new Set<number>()
  const open = steps.flatMap((step) => graph.dependencies[step] ?? [])
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    if (graph.kinds[at] === 'manual') gates.add(at)
    else appendAll(open, graph.dependencies[at] ?? [])
  }
  return [...gates].sort((a, b) => a - b)
}

/** The approvals that released a step; none when its manual steps were skipped by their conditions and nobody else was asked. */
export function approvalsOf(state: RunState, step: number): readonly GivenApproval[] {
  const own = ownApprovals(state, step)
  return own.length > 0 ? own : (state.approved?.approvals ?? [])
}

function ownApprovals(state: RunState, step: number): readonly GivenApproval[] {
  return gatesOf(state.graph, [step]).flatMap((gate) => {
    const { status, outputSeq } = stepUnit(state, gate)
    return status === 'SUCCESS' ? [{ stepId: state.graph.stepIds[gate] ?? '', runSeq: outputSeq }] : []
  })
}

/** Most runs belong to none that was approved: then the trait alone tells. */
function mayBeReleased({ graph, approved }: Pick<RunState, 'graph' | 'approved'>, step: number): boolean {
  if (hasTrait(graph, step, TRAIT.released)) return true
  return approved !== undefined && approved.approvals.length > 0 && stepAt(graph, step).effect === 'irreversible'
}

/** What releases a step that cannot be undone, for one dispatch; nothing where nobody was asked. */
export function releasesOf(state: RunState, step: number): readonly GivenApproval[] {
  return mayBeReleased(state, step) ? approvalsOf(state, step).slice(0, APPROVALS_TOLD) : []
}

/** It cannot be undone, and somebody released it: it has one dispatch. */
export function isReleased(state: RunState, step: number): boolean {
  return releasesOf(state, step).length > 0
}

/** An approval released it together with other steps, which an approval may not do. Says who gave it and what to do. */
export function releasedForManyBy(state: RunState, { step, item }: Pick<Unit, 'step' | 'item'>): string | undefined {
  const given = state.approved?.approvals[0]
  if (given === undefined || (item < 0 && state.approved?.forMany !== true)) return undefined
  if (!mayBeReleased(state, step) || ownApprovals(state, step).length > 0) return undefined
  const why = `'${given.stepId}' of run ${given.runId ?? ''} was given once, for many dispatches`
  return `${why}: a plan that asks for each item is needed`
}

/** From this rules version on, the input of a child run counts as dispatched, and the steps that lead to it are not skipped. */
const CHILDREN_ARE_BOUND = 4

/**
 * An approval that was given for something that has not been dispatched yet, or for a child run that may yet be started; only of
 * what follows one step, if that step is named.
 */
export function unusedApproval(state: RunState, after?: number): GivenApproval | undefined {
  const { graph, rulesVersion, approved } = state
  const bindsChildren = rulesVersion >= CHILDREN_ARE_BOUND
  if (after !== undefined && !bindsChildren) return undefined
  const among = after === undefined ? graph.steps.keys() : descendantsOf(graph, after)
  const waiting = [...among].filter((index) => {
    const { status, attempt, recovered } = stepUnit(state, index)
    if (mayBeReleased(state, index)) return status === 'PENDING' && attempt === 0
    return bindsChildren && graph.kinds[index] === 'plan' && status !== 'SUCCESS' && status !== 'SKIPPED' && !recovered
  })
  const gate = gatesOf(graph, waiting).find((one) => stepUnit(state, one).status === 'SUCCESS')
  if (gate !== undefined) return { stepId: graph.stepIds[gate] ?? '', runSeq: stepUnit(state, gate).outputSeq }
  return waiting.length === 0 ? undefined : approved?.approvals[0]
}

function descendantsOf(graph: PlanGraph, step: number): ReadonlySet<number> {
  const found = new Set<number>()
  const open = [...(graph.dependents[step] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue
    found.add(at)
    appendAll(open, graph.dependents[at] ?? [])
  }
  return found
}

/** What a child run of this unit is told was approved; undefined: nobody was asked. */
export function approvedFor(state: RunState, runId: string, { step, item }: Unit): ApprovedAbove | undefined {
  const { approved, approvedBy } = state
  const own = ownApprovals(state, step)
  const given = own.length > 0 ? own : (approved?.approvals ?? [])
  const approvals = thatFit(given.map((one) => ({ runId, ...one })))
  const inQueue = approvedBy === '' ? approved?.inQueue : { runId, approvedBy }
  if (approvals.length === 0 && inQueue === undefined) return undefined
  const forMany = item >= 0 || (own.length === 0 && approved?.forMany === true)
  return {
    approvals,
    ...(forMany && approvals.length > 0 ? { forMany } : {}),
    ...(inQueue === undefined ? {} : { inQueue }),
  }
}

/** At most this many are written in one event. */
const APPROVALS_TOLD = 100
/** Field names, a number, quotes, commas and braces around the names of one. */
const APPROVAL_FRAME = 60

function thatFit(approvals: readonly GivenApproval[]): readonly GivenApproval[] {
  let room: number = LIMITS.approvalsBytes
  return approvals.slice(0, APPROVALS_TOLD).filter(({ runId = '', stepId }) => {
    room -= jsonBytesOf(runId) + jsonBytesOf(stepId) + APPROVAL_FRAME
    return room >= 0
  })
}

/** A step that one approval would release many times: it cannot be undone and runs for each item of a list. */
export function releasedForMany(
  graph: PlanGraph,
  approved?: ApprovedAbove,
): { readonly stepId: string; readonly gate: string } | undefined {
  const above = approved?.approvals[0]
  const index = graph.steps.findIndex((_step, at) => {
    if (hasTrait(graph, at, TRAIT.released)) return hasTrait(graph, at, TRAIT.fan)
    if (above === undefined || stepAt(graph, at).effect !== 'irreversible') return false
    return approved?.forMany === true || hasTrait(graph, at, TRAIT.fan)
  })
  if (index < 0) return undefined
  const [gate] = gatesOf(graph, [index])
  return { stepId: graph.stepIds[index] ?? '', gate: (gate === undefined ? above?.stepId : graph.stepIds[gate]) ?? '' }
}
