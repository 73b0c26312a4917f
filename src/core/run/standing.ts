/**
 * What still stands of an ended run when a new run is made of it: a result is taken over only when every ancestor of its
 * step stands too. Whatever was undone, skipped by hand, asked for again or never finished is done again, and with it
 * everything downstream, so that no step of the new run gets ahead of what it depends on.
 */
import { vectorGet } from '../collections/vector.ts'
import type { PlanGraph } from '../plan/graph.ts'
import type { RunState } from './state.ts'
import { stepUnit } from './units.ts'

/** How a step of the old run came to stand. */
export interface StandingStep {
  readonly stepId: string
  /** Seq of the StepCompleted that holds its result, or of its StepSkipped. */
  readonly seq: number
  /** Its condition was false: there is no result, and dependents went on. */
  readonly skipped: boolean
  /** The run whose effect it is; empty for the old run itself. */
  readonly ownerRunId: string
}

/** Why a step is done again. */
export type AgainReason =
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'undone' }
  /** It was to be undone, and something of it could not be: its effect is still there. */
  | { readonly kind: 'not-undone' }
  | { readonly kind: 'skipped-by-hand' }
  | { readonly kind: 'asked' }
  | { readonly kind: 'new' }
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
}

export interface Standing {
  /** In the order in which they came to stand. */
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
    if ('seq' in judged) stood.set(stepId, judged)
    else lost.set(stepId, judged)
  }
  spread(old.state.graph, lost)
  for (const stepId of graph.stepIds) {
    if (!old.state.graph.indexOf.has(stepId))
      lost.set(stepId, stepId === old.from ? { kind: 'asked' } : { kind: 'new' })
  }
  outrunByDependency(graph, old.state, stood, lost)
  spread(graph, lost)
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
 * A step that ran before its predecessor stood did not see its result: the plan is another one, or its sequence went on over a
 * failure that was mended later (P-46).
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

/** Everything downstream of what is done again is done again. */
function spread(graph: PlanGraph, lost: Map<string, AgainReason>): void {
  const open = graph.stepIds.flatMap((stepId, index) => (lost.has(stepId) ? [index] : []))
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const dependent of graph.dependents[at] ?? []) {
      const stepId = graph.stepIds[dependent] ?? ''
      if (lost.has(stepId)) continue
      lost.set(stepId, { kind: 'after', stepId: graph.stepIds[at] ?? '' })
      open.push(dependent)
    }
  }
}
