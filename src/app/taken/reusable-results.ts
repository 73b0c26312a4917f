/**
 * What a fork takes over of an ended run, and what it does again: read from the old log, judged by what still stands
 * (core/run/fork/standing.ts) and by what the new plan and the new input leave as it was.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { compileGraph, type PlanGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { standingSteps, type Standing, type StepChange } from '../../core/run/fork/standing.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'
import { readTogether } from '../values/read-together.ts'
import type { ValueStore } from '../values/read-results.ts'
import type { ContextVariables } from '../values/run-context.ts'
import { FamilyEffects } from './family-effects.ts'
import { capturesOf, takenCaptures, type OldCapture } from './taken-captures.ts'
import { fanToTake, takenItems } from './taken-items.ts'
import { takenOver, type TakenOver } from './taken-over.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

/** Results of so many steps are in memory at a time. */
const READ_TOGETHER = 1_000

export interface Reusable {
  readonly taken: readonly TakenOver[]
  readonly standing: Standing
  readonly graph: PlanGraph
  readonly family: FamilyEffects
  readonly isUnapproved: boolean
}

export interface WhatToReuse {
  readonly row: RunRow
  readonly atSeq?: number
  readonly from?: string
  /** Of the new run. */
  readonly plan: Plan
  readonly changed: ReadonlyMap<string, StepChange>
}

/** What is taken over, in the order in which it came about. */
export async function reusable(store: RunStore, old: LoadedRun, request: WhatToReuse): Promise<Reusable> {
  const { plan, changed } = request
  const { captures, skips, isUnapproved } = await readOldLog(store, old)
  const { runId } = old.identity
  const family = await FamilyEffects.read(store, request.row)
  const graph = sameGraph(old, plan)
  const standing = standingSteps(graph, {
    state: old.state,
    upTo: request.atSeq ?? old.state.seq,
    from: request.from,
    undoingOf: (stepId, ownerRunId) => family.undoingOf(ownerRunId === '' ? runId : ownerRunId, stepId),
    skips,
    changed,
  })
  const taken: TakenOver[] = []
  let context: ContextVariables = plan.context
  let log: ValueStore = store
  for (const [index, step] of standing.taken.entries()) {
    if (index % READ_TOGETHER === 0) {
      const next = standing.taken.slice(index, index + READ_TOGETHER)
      log = await readTogether(
        store,
        old.row.runKey,
        next.map(({ seq }) => seq),
      )
    }
    const recorded = (captures.get(step.stepId) ?? []).filter(({ seq }) => seq <= step.seq)
    const captured = await takenCaptures(store, old.row.runKey, recorded, context)
    context = captured.context
    const whole = await takenOver(log, old, step, captured)
    const fan = step.skipped ? undefined : fanToTake(graph, old, step.stepId)
    if (fan !== undefined) appendAll(taken, await takenItems(store, old, whole.result, fan))
    taken.push(fan === undefined ? whole : closing(whole))
  }
  return { taken, standing, graph, family, isUnapproved }
}

/** Ends a step whose items were taken over: their results are its list. */
function closing({ result, writes, blobs }: TakenOver): TakenOver {
  const { resultRef, data: { result: _list, ...rest } = {}, ...others } = result
  const kept = blobs.filter(({ sha256 }) => sha256 !== resultRef?.sha256)
  return { result: { ...others, ...(Object.keys(rest).length === 0 ? {} : { data: rest }) }, writes, blobs: kept }
}

/** Compiled anew only where the plan is another one. */
function sameGraph(old: LoadedRun, plan: Plan): PlanGraph {
  return plan === old.plan.plan ? old.plan.graph : compileGraph(plan)
}

interface OldLog {
  readonly captures: ReadonlyMap<string, readonly OldCapture[]>
  readonly skips: ReadonlyMap<string, { readonly seq: number; readonly byHand: boolean }>
  /** It was queued, and nobody approved it. */
  readonly isUnapproved: boolean
}

async function readOldLog(store: RunStore, old: LoadedRun): Promise<OldLog> {
  const captures = new Map<string, OldCapture[]>()
  const skips = new Map<string, { readonly seq: number; readonly byHand: boolean }>()
  let isQueued = false
  let isApproved = false
  for await (const stored of storedEvents(store, old.row.runKey)) {
    // Only the intact part of a run that was set aside counts.
    if (stored.runSeq > old.state.seq) break
    if (stored.eventType === 'RunQueued') isQueued = true
    if (stored.eventType === 'RunApproved') isApproved = true
    if (stored.eventType !== 'StepSkipped' && stored.eventType !== 'StepCompleted') continue
    const record = recordOf(stored)
    const stepId = record.ok ? planStepOf(record.value) : undefined
    if (!record.ok || stepId === undefined) continue
    if (stored.eventType === 'StepSkipped') {
      skips.set(stepId, { seq: stored.runSeq, byHand: !isByCondition(record.value.payload?.['reasonCode']) })
      continue
    }
    const found = captures.get(stepId) ?? []
    appendAll(found, capturesOf(record.value))
    captures.set(stepId, found)
  }
  const waits = isQueued || !isTerminalRun(old.state.status)
  return { captures, skips, isUnapproved: !isApproved && !old.state.autoApproves && waits }
}

/** By its own, or by that of a step before it. */
function isByCondition(reasonCode: unknown): boolean {
  return reasonCode === 'CONDITION_FALSE' || reasonCode === 'DEPENDENCY_SKIPPED'
}
