/**
 * Which results of an ended run still stand, so that a new run may take them over. A result stands only when the results of all
 * ancestors of its step stand too. Whatever was undone, skipped by hand, asked for again or never finished is done again, and
 * with it everything downstream, so that no step of the new run gets ahead of what it depends on.
 */
import { vectorGet } from '../../collections/vector.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import type { RunState } from '../state/state.ts'
import { gatesOf } from '../people/approvals.ts'
import { stepAt, stepUnit } from '../state/units.ts'

/** How a step of the old run got its result. */
export interface StandingStep {
  readonly stepId: string
  /** Seq of the StepCompleted that holds its result, or of its StepSkipped. */
  readonly seq: number
  /** Its condition was false: there is no result, and dependents went on. */
  readonly skipped: boolean
  /** The run whose effect it is; empty for the old run itself. */
  readonly ownerRunId: string
}

/** Why a step is not the same in a run with another plan or another input. */
export type StepChange =
  /** Its definition differs, in these fields. */
  | { readonly kind: 'changed'; readonly fields: readonly string[] }
  /** What it reads is another, such as `input.amount`. */
  | { readonly kind: 'reads'; readonly fields: readonly string[] }

/** Why a step is done again. */
export type AgainReason =
  | StepChange
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'undone' }
  /** It was to be undone, and something of it could not be: its effect is still there. */
  | { readonly kind: 'not-undone' }
  | { readonly kind: 'skipped-by-hand' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'new' }
  /** A manual step: what it releases is done again, and an approval is for one dispatch. */
  | { readonly kind: 'approval'; readonly stepId: string }
  /** A predecessor is done again, or its result is newer than this step's start. */
  | { readonly kind: 'after'; readonly stepId: string }

export interface OldRun {
  readonly state: RunState
  /** Nothing recorded after this seq counts. */
  readonly upTo: number
  /** Done again on request, with everything after it. */
  readonly from: string | undefined
  /** How undoing it went, by the old run or by another run that took its results over; undefined when nobody tried. */
  readonly undoingOf: (stepId: string, ownerRunId: string) => 'undone' | 'not-undone' | undefined
  /** Seqs of skips, by step; `byHand` when an operator asked for it. */
  readonly skips: ReadonlyMap<string, { readonly seq: number; readonly byHand: boolean }>
  /** Steps that are not the same in the new run. */
  readonly changed: ReadonlyMap<string, StepChange>
}

export interface Standing {
  /** In the order in which they were settled. */
  readonly taken: readonly StandingStep[]
  /** Every other step of the plan, in dispatch order. */
  readonly again: ReadonlyMap<string, AgainReason>
}

/** `graph` is the plan of the new run, which may differ from the old one's. */
export function standingSteps(graph: PlanGraph, old: OldRun): Standing {
  const stood = new Map<string, StandingStep>()
  const lost = new Map<string, AgainReason>()
  for (let index = 0; index < old.state.graph.steps.length; index += 1) {
    const stepId = old.state.graph.stepIds[index] ?? ''
    const judged = judge(old, index, stepId)
    const change = 'seq' in judged ? old.changed.get(stepId) : undefined
    if (change !== undefined) lost.set(stepId, change)
    else if ('seq' in judged) stood.set(stepId, judged)
    else lost.set(stepId, judged)
  }
  spread(old.state.graph, lost)
  for (const stepId of graph.stepIds) {
    if (!old.state.graph.indexOf.has(stepId))
      lost.set(stepId, stepId === old.from ? { kind: 'asked' } : { kind: 'new' })
  }
  outrunByDependency(graph, old.state, stood, lost)
  spread(graph, lost, stood)
  const taken = graph.stepIds.flatMap((stepId) => (lost.has(stepId) ? [] : (stood.get(stepId) ?? [])))
  const again = new Map(
    graph.stepIds.flatMap((stepId) => {
      const reason = lost.get(stepId)
      return reason === undefined ? [] : [[stepId, reason] as const]
    }),
  )
  return { taken: taken.sort((a, b) => a.seq - b.seq), again }
}

function judge(old: OldRun, index: number, stepId: string): StandingStep | AgainReason {
  if (stepId === old.from) return { kind: 'asked' }
  const unit = stepUnit(old.state, index)
  if (unit.status === 'SKIPPED') {
    const skip = old.skips.get(stepId)
    if (skip === undefined || skip.seq > old.upTo) return { kind: 'unfinished' }
    if (skip.byHand) return { kind: 'skipped-by-hand' }
    return { stepId, seq: skip.seq, skipped: true, ownerRunId: '' }
  }
  const source = unit.recovered ? vectorGet(old.state.units, old.state.graph.fallbackIndex[index] ?? -1) : unit
  if (source?.status !== 'SUCCESS' || source.outputSeq > old.upTo) return { kind: 'unfinished' }
  const undoing = old.undoingOf(stepId, source.ownerRunId)
  if (undoing !== undefined) return { kind: undoing }
  return { stepId, seq: source.outputSeq, skipped: false, ownerRunId: source.ownerRunId }
}

/**
 * A step that ran before its predecessor had a result did not see that result: the plan is a different one, or its sequence went
 * on after a failure that was repaired later (P-46).
 */
function outrunByDependency(
  graph: PlanGraph,
  state: RunState,
  stood: ReadonlyMap<string, StandingStep>,
  lost: Map<string, AgainReason>,
): void {
  graph.stepIds.forEach((stepId, index) => {
    const own = stood.get(stepId)
    if (own === undefined || lost.has(stepId)) return
    const began = own.skipped ? own.seq : stepUnit(state, state.graph.indexOf.get(stepId) ?? -1).startedSeq
    for (const dependency of graph.dependencies[index] ?? []) {
      const before = graph.stepIds[dependency] ?? ''
      if ((stood.get(before)?.seq ?? 0) > began) lost.set(stepId, { kind: 'after', stepId: before })
    }
  })
}

/**
 * Everything downstream of a repeated step is repeated. If such a step cannot be undone, starts a run of its own, or is not what
 * it was, the manual step that released it is repeated too (MAN-13): a person is asked again, not only a condition.
 */
function spread(graph: PlanGraph, lost: Map<string, AgainReason>, stood?: ReadonlyMap<string, StandingStep>): void {
  const open = graph.stepIds.flatMap((stepId, index) => (lost.has(stepId) ? [index] : []))
  const lose = (index: number, reason: AgainReason): void => {
    const stepId = graph.stepIds[index] ?? ''
    if (lost.has(stepId)) return
    lost.set(stepId, reason)
    open.push(index)
  }
  const seen = new Set<number>()
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const stepId = graph.stepIds[at] ?? ''
    for (const dependent of graph.dependents[at] ?? []) lose(dependent, { kind: 'after', stepId })
    const mayRepeat = graph.kinds[at] === 'plan' || stepAt(graph, at).effect === 'irreversible'
    if (stood === undefined || !(mayRepeat || isOther(lost.get(stepId)))) continue
    for (const gate of gatesOf(graph, [at], seen))
      if (stood.get(graph.stepIds[gate] ?? '')?.skipped !== true) lose(gate, { kind: 'approval', stepId })
  }
}

/** It does another thing than the step of the old run that somebody said yes to. */
function isOther(reason: AgainReason | undefined): boolean {
  return reason?.kind === 'changed' || reason?.kind === 'reads' || reason?.kind === 'new'
}
