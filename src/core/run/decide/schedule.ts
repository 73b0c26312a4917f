/**
 * Scheduling within a run: what is ready starts in dispatch order while slots of the run are free. A step whose
 * condition, items, wait or texts for a person must be evaluated first is named in `needs` and starts in the next round
 * (P-04, P-07).
 */
import { bitNext } from '../../collections/bit-tree.ts'
import type { ErrorInfo, EventData, Payload } from '../../events/event.ts'
import { taskSlot } from '../../events/slot.ts'
import { LIMITS } from '../../limits.ts'
import { TRAIT } from '../../plan/graph.ts'
import { hasMappedTexts, type Step } from '../../plan/plan.ts'
import { isoFromMs, msFromIso } from '../../time.ts'
import { effectId } from '../effect.ts'
import { mustWait, wantsOf } from '../grants.ts'
import type { Need, SlotFacts } from '../input.ts'
import type { RunState, Unit } from '../state.ts'
import { dueRetries } from '../timers.ts'
import { hasTrait, isFanParent, kindOfUnit, slotOfUnit, stepAt, stepUnit, unitAt } from '../units.ts'
import { failStep } from './fail-step.ts'
import { emit, hasRoom, unitEngineAttempt, type Workspace } from './workspace.ts'

/** Events one dispatch may write at most: StepStarted with FanOutExpanded, ManualTaskOpened or an immediate failure. */
const EVENTS_PER_DISPATCH = 3

export function schedule(ws: Workspace): void {
  ws.needs.length = 0
  const retries = retriesByRank(ws)
  // From the first step whose facts are asked for on, the others only keep their places, so that they start after it.
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

/** Waits and tasks of items see `item`, so each is asked for by itself, from this one on: as many as there is room for. */
function askForItems(ws: Workspace, parent: Unit, first: Unit): boolean {
  const { graph } = ws.state
  if (parent.fan === undefined || first.fallback || !hasTrait(graph, first.step, TRAIT.parked)) return false
  const step = stepAt(graph, first.step)
  const values = valuesOf(step)
  if (values === undefined) return false
  const most = Math.ceil((ws.room - ws.drafts.length) / EVENTS_PER_DISPATCH)
  const needs: Need[] = []
  for (let item = first.item; item >= 0 && needs.length < most; item = bitNext(parent.fan.ready, item + 1)) {
    const slot = slotOfUnit(graph, { ...first, item })
    if (!ws.facts.has(slot))
      needs.push({ kind: 'step', slot, stepId: step.stepId, condition: false, items: false, ...values })
  }
  ws.needs.push(...needs)
  return true
}

function fallbackOf(ws: Workspace, unit: Unit): Unit {
  const index = ws.state.graph.fallbackIndex[unit.step] ?? -1
  return unitAt(ws.state, index, unit.step, -1, true)
}

/** The first ready item by index; where items wait for grants, the first of those that may start. */
function nextItem(ws: Workspace, parent: Unit): Unit | undefined {
  const { fan } = parent
  if (fan === undefined) return undefined
  // All items want the same: only a fallback, or an item that is to be tried, may start while others wait.
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

function needOf(step: Step, unit: Unit): Need | undefined {
  const condition = unit.attempt === 0 && (step.if !== undefined || step.unless !== undefined)
  const items = step.forEach !== undefined && unit.fan === undefined
  // The items of a fan-out wait and ask for themselves: their parent has no `item` to do it with.
  const values = step.forEach === undefined ? valuesOf(step) : undefined
  if (!condition && !items && values === undefined) return undefined
  const { wait, manual } = values ?? NO_VALUES
  return { kind: 'step', slot: step.stepId, stepId: step.stepId, condition, items, wait, manual }
}

const NO_VALUES = { wait: false, manual: false }

/** What must be mapped before a unit that only waits can begin; undefined for nothing. */
function valuesOf(step: Step): { readonly wait: boolean; readonly manual: boolean } | undefined {
  const wait = 'wait' in step && waitIsExpression(step.wait)
  const manual = 'manual' in step && hasMappedTexts(step.manual)
  return wait || manual ? { wait, manual } : undefined
}

function waitIsExpression(wait: { readonly forMs: number | string } | { readonly until: string }): boolean {
  return 'forMs' in wait ? typeof wait.forMs === 'string' : wait.until.includes('${')
}

function startAttempt(ws: Workspace, unit: Unit, attempt: number, given?: SlotFacts): void {
  const slot = slotOfUnit(ws.state.graph, unit)
  const never = ws.grants?.impossible.get(slot)
  const facts = never === undefined ? given : { ...given, problem: { code: 'RESOURCE_EXCEEDED', message: never } }
  // An attempt that fails at once needs nothing.
  const grants = facts?.problem === undefined ? wantsOf(ws.state, unit) : undefined
  const payload: Payload<'StepStarted'> = {
    startedAt: ws.nowIso,
    epoch: ws.epoch,
    ...timing(ws, unit, facts),
    ...(unit.freshKey === '' ? {} : { freshKey: unit.freshKey }),
    ...(grants === undefined ? {} : { grants }),
  }
  emit(ws, 'StepStarted', slot, attempt, payload, { engineAttempt: 1, data: factsData(facts), unit })
  const started =
    unit.item < 0 && !unit.fallback
      ? stepUnit(ws.state, unit.step)
      : { ...unit, attempt, epoch: ws.epoch, status: 'RUNNING' as const }
  if (facts?.problem !== undefined) {
    failStep(ws, started, {
      error: factError(facts.problem.code),
      data: { errorText: { message: facts.problem.message } },
      forced: true,
      final: true,
    })
    return
  }
  sendOut(ws, started, slot, facts)
}

function factError(code: string): ErrorInfo {
  return { code, retryable: false, errorClass: 'validation', category: 'validation' }
}

function factsData(facts: SlotFacts | undefined): EventData | undefined {
  if (facts === undefined) return undefined
  const { condition, items, waitForMs, waitUntil } = facts
  const recorded = {
    ...(condition === undefined ? {} : { condition }),
    ...(items === undefined ? {} : { items }),
    ...(waitForMs === undefined ? {} : { waitForMs }),
    ...(waitUntil === undefined ? {} : { waitUntil }),
  }
  return Object.keys(recorded).length === 0 ? undefined : { facts: recorded }
}

function timing(ws: Workspace, unit: Unit, facts: SlotFacts | undefined): Partial<Payload<'StepStarted'>> {
  const { graph } = ws.state
  if (isFanParent(graph, unit)) return {}
  const kind = kindOfUnit(graph, unit)
  if (kind === 'plan') return {}
  if (kind !== 'manual' && kind !== 'wait') {
    return { timeoutAt: isoFromMs(ws.now + (graph.timeoutMs[unit.step] ?? 0) + LIMITS.queueAllowanceMs) }
  }
  const step = stepAt(graph, unit.step)
  if (kind === 'manual') {
    const expires = 'manual' in step ? step.manual.expiresAfterMs : undefined
    return expires === undefined ? {} : { timeoutAt: isoFromMs(ws.now + expires) }
  }
  if (!('wait' in step)) return {}
  if ('forMs' in step.wait)
    return { waitForMs: typeof step.wait.forMs === 'number' ? step.wait.forMs : (facts?.waitForMs ?? 0) }
  const until = step.wait.until.includes('${') ? facts?.waitUntil : msFromIso(step.wait.until)
  return { waitUntil: isoFromMs(until ?? ws.now) }
}

/** What leaves after the commit, and the events that go with the start. */
function sendOut(ws: Workspace, unit: Unit, slot: string, facts: SlotFacts | undefined): void {
  if (isFanParent(ws.state.graph, unit)) {
    if (facts?.items !== undefined) emit(ws, 'FanOutExpanded', slot, 1, facts.items)
    return
  }
  const { attempt } = unit
  switch (kindOfUnit(ws.state.graph, unit)) {
    case 'wait':
      return
    case 'manual': {
      const step = stepAt(ws.state.graph, unit.step)
      const expires = 'manual' in step ? step.manual.expiresAfterMs : undefined
      const payload = {
        attempt,
        openedAt: ws.nowIso,
        ...(expires === undefined ? {} : { expiresAt: isoFromMs(ws.now + expires) }),
      }
      emit(ws, 'ManualTaskOpened', taskSlot(slot, attempt), 1, payload)
      ws.effects.push({ kind: 'OpenManualTask', id: effectId('OpenManualTask', slot, attempt), slot, attempt })
      return
    }
    case 'plan':
      ws.effects.push({ kind: 'StartChild', id: effectId('StartChild', slot, attempt), slot, attempt })
      return
    default: {
      const engineAttempt = unitEngineAttempt(ws, unit)
      ws.effects.push({
        kind: 'ExecuteStep',
        id: effectId('ExecuteStep', slot, attempt, engineAttempt),
        slot,
        attempt,
        engineAttempt,
      })
    }
  }
}
