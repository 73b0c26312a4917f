/**
 * Scheduling within a run: what is ready starts in dispatch order while slots of the run are free. A step whose
 * condition, items, wait or texts for a person must be evaluated first is named in `needs` and starts in the next round
 * (P-04, P-07).
 */
import { appendAll } from '../../collections/append-all.ts'
import { bitHas, bitNext } from '../../collections/bit-tree.ts'
import { TRAIT } from '../../plan/compile/graph.ts'
import type { Need } from '../input.ts'
import { mustWait, wantsOf } from '../state/grants.ts'
import { itemPlacesLeft } from '../state/item-places.ts'
import type { RunState } from '../state/state.ts'
import { dueRetries } from '../state/timers.ts'
import type { Unit } from '../state/unit.ts'
import { hasTrait, isFanParent, slotOfUnit, stepAt, stepUnit, unitAt } from '../state/units.ts'
import { factsData, needOf, valuesOf } from './needs.ts'
import { startAttempt } from './start-attempt.ts'
import { emit, hasRoom, type Workspace } from './workspace.ts'

/** Events one dispatch may write at most: StepStarted with FanOutExpanded, ManualTaskOpened or an immediate failure. */
const EVENTS_PER_DISPATCH = 3

export function schedule(ws: Workspace): void {
  ws.needs.length = 0
  const retries = retriesByRank(ws)
  // After the first step whose facts are asked for, later steps only keep their places in the order, so that they start after it.
  let held = 0
  let slotsHeld = 0
  let from = 0
  // A start may fail at once on its facts, and then nothing new starts under failFast (GRF-07).
  while (!ws.state.failing) {
    const slotFree = ws.state.slotsInUse + slotsHeld < ws.state.limit
    const { step, takesSlot } = nextReady(ws.state, from, slotFree)
    const retry = slotFree ? retries[0] : undefined
    if (step < 0 && retry === undefined) return
    if (!hasRoom(ws, EVENTS_PER_DISPATCH * (held + 1))) return
    if (retry !== undefined && (step < 0 || retry.step <= step)) {
      retries.shift()
      if (held === 0) startAttempt(ws, retry, retry.attempt + 1)
      else slotsHeld += 1
      continue
    }
    const dispatch = dispatchStep(ws, step, held > 0)
    if (dispatch === 'started') continue
    from = step + 1
    // Without its grant a step waits outside the run's own limit: others may start in its place (SCH-06).
    if (dispatch === 'ungranted') continue
    held += 1
    if (takesSlot) slotsHeld += 1
  }
}

function retriesByRank(ws: Workspace): Unit[] {
  const due = dueRetries(ws.state, ws.now, ws.state.limit - ws.state.slotsInUse, (unit) => !waitsForGrant(ws, unit))
  return due.sort((a, b) => a.step - b.step || a.item - b.item)
}

function waitsForGrant(ws: Workspace, unit: Unit): boolean {
  if (ws.grants === undefined || ws.state.graph.wants[unit.step] === undefined) return false
  return mustWait(ws.grants, slotOfUnit(ws.state.graph, unit), wantsOf(ws.state, unit))
}

/** The next step by rank that may start; one that takes a slot of the run only while a slot is free. */
function nextReady(
  state: RunState,
  from: number,
  slotFree: boolean,
): { readonly step: number; readonly takesSlot: boolean } {
  const free = bitNext(state.readyFree, from)
  const taking = slotFree ? bitNext(state.ready, from) : -1
  const takesSlot = taking >= 0 && (free < 0 || taking < free)
  return { step: takesSlot ? taking : free, takesSlot }
}

type Dispatch = 'started' | 'held' | 'ungranted'

function dispatchStep(ws: Workspace, index: number, hold: boolean): Dispatch {
  const unit = stepUnit(ws.state, index)
  const isFan = isFanParent(ws.state.graph, unit)
  const hasFallback = !isFan && unit.status === 'FAILED' && unit.fallbackOpen
  if (!hasFallback && !(isFan && unit.status === 'RUNNING')) return startStep(ws, unit, hold)
  const next = isFan ? nextItem(ws, unit) : fallbackOf(ws, unit)
  if (next === undefined || waitsForGrant(ws, next)) return 'ungranted'
  if (hold) return 'held'
  const facts = ws.facts.get(slotOfUnit(ws.state.graph, next))
  if (facts === undefined && askForItems(ws, unit, next)) return 'held'
  startAttempt(ws, next, next.attempt + 1, facts)
  return 'started'
}

/**
 * Waits and tasks of items can read `item`, so the values of each item are asked for separately, beginning with this one: as many
 * as there is room for.
 */
function askForItems(ws: Workspace, parent: Unit, first: Unit): boolean {
  const { graph } = ws.state
  if (parent.fan === undefined || first.fallback || !hasTrait(graph, first.step, TRAIT.parked)) return false
  const step = stepAt(graph, first.step)
  const values = valuesOf(step)
  if (values === undefined) return false
  const most = Math.min(Math.ceil((ws.room - ws.drafts.length) / EVENTS_PER_DISPATCH), itemPlacesLeft(ws.state, parent))
  const needs: Need[] = []
  for (let item = first.item; item >= 0 && needs.length < most; item = bitNext(parent.fan.ready, item + 1)) {
    const slot = slotOfUnit(graph, { ...first, item })
    if (!ws.facts.has(slot))
      needs.push({ kind: 'step', slot, stepId: step.stepId, condition: false, items: false, ...values })
  }
  appendAll(ws.needs, needs)
  return true
}

function fallbackOf(ws: Workspace, unit: Unit): Unit {
  const index = ws.state.graph.fallbackIndex[unit.step] ?? -1
  return unitAt(ws.state, index, unit.step, -1, true)
}

/** The first ready item by index; where items wait for grants, the first of those that may start. */
function nextItem(ws: Workspace, parent: Unit): Unit | undefined {
  const { fan } = parent
  if (fan === undefined || itemPlacesLeft(ws.state, parent) <= 0) return undefined
  // All items want the same units: only a fallback, or an item that is to be tried, may start while others wait.
  const differ = fan.fallbackBase >= 0 || (ws.grants !== undefined && ws.grants.tried.size > 0)
  for (let item = bitNext(fan.ready); item >= 0; item = bitNext(fan.ready, item + 1)) {
    const primary = unitAt(ws.state, fan.base + item, parent.step, item, false)
    const unit = primary.fallbackOpen ? unitAt(ws.state, fan.fallbackBase + item, parent.step, item, true) : primary
    if (!waitsForGrant(ws, unit)) return unit
    if (!differ) return undefined
  }
  return undefined
}

/** First attempts of a step go through its condition; a fan-out parent, a wait and a manual task also need values. */
function startStep(ws: Workspace, unit: Unit, hold: boolean): Dispatch {
  // Most steps need nothing: then the step itself is not even looked at.
  const ungranted = waitsForGrant(ws, unit)
  if (!hasTrait(ws.state.graph, unit.step, TRAIT.needs)) {
    if (ungranted) return 'ungranted'
    if (hold) return 'held'
    startAttempt(ws, unit, unit.attempt + 1)
    return 'started'
  }
  const step = stepAt(ws.state.graph, unit.step)
  const skipped = unit.attempt === 0 ? skippedBefore(ws.state, unit.step) : undefined
  if (skipped !== undefined) {
    if (hold) return 'held'
    const reason = `step ${skipped}, which it depends on, was skipped`
    emit(ws, 'StepSkipped', step.stepId, 1, { reason, reasonCode: 'DEPENDENCY_SKIPPED', skippedAt: ws.nowIso })
    return 'started'
  }
  const need = needOf(step, unit)
  const facts = ws.facts.get(step.stepId)
  if (need !== undefined && (facts === undefined || hold)) ws.needs.push(need)
  if (hold || (need !== undefined && facts === undefined)) return 'held'
  if (facts?.condition === false) {
    emit(
      ws,
      'StepSkipped',
      step.stepId,
      unit.attempt + 1,
      { reason: `condition of ${step.stepId} is false`, reasonCode: 'CONDITION_FALSE', skippedAt: ws.nowIso },
      { data: factsData(facts) },
    )
    return 'started'
  }
  if (ungranted) return 'ungranted'
  startAttempt(ws, unit, unit.attempt + 1, facts)
  return 'started'
}

/** The first predecessor for which a step that cascades is skipped; what a person skipped lets it run. */
function skippedBefore({ graph, skippedByCondition }: RunState, step: number): string | undefined {
  if (!hasTrait(graph, step, TRAIT.cascades) || skippedByCondition.size === 0) return undefined
  const before = graph.dependencies[step]?.find((one) => bitHas(skippedByCondition, one))
  return before === undefined ? undefined : graph.stepIds[before]
}
