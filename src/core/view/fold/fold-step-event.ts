/**
 * Step-level events on a view: finds the slot of an event, folds it there, and updates the counters of the parent and
 * of the run. The cost does not depend on the size of the plan or the fan-out.
 */
import { vectorGet, vectorGrow, vectorOf, vectorSet } from '../../collections/vector.ts'
import type { LogRecord } from '../../events/event.ts'
import type { StepSlot } from '../../events/slot.ts'
import { attemptTransition } from '../../run/state/transitions.ts'
import { foldSlot, type SlotChange } from './fold-slot.ts'
import { addName, numberOf } from './name-index.ts'
import { addressOf, artifactsOf, eventMs, fieldsOf } from './reading.ts'
import {
  EMPTY_PAIR,
  EMPTY_SLOT,
  EMPTY_STEP,
  type FanFold,
  type Moment,
  type RunView,
  type SlotFold,
  type SlotPair,
  type StepFold,
  type Tally,
} from './run-view.ts'
import { itemCounter, movedTally, settledAt, tallyOf, compensationCounter } from './slot-facts.ts'
import { countFirstWait, momentOf } from './time-split.ts'
import { alertAbout, type ViewAlert } from './view-alert.ts'

export interface Folded {
  readonly view: RunView
  readonly alerts: readonly ViewAlert[]
}

export function foldStepEvent(view: RunView, record: LogRecord): Folded {
  const address = addressOf(record)
  if (address === undefined) return { view, alerts: [] }
  const at = momentOf(view.run, eventMs(record))
  let change: SlotChange | undefined
  const isStart = record.eventType === 'StepStarted' && record.logicalAttemptId === 1
  const early = isStart ? unsettledPredecessors(view, address) : []
  const after = changeSlot(view, address, (slot, pair, fan) => {
    const waited = isFirstStart(slot, record) ? countWait(view, address, slot, pair, fan, at) : slot
    change = foldSlot(waited, record, at)
    return change.slot
  })
  const alerts = change === undefined ? [] : alertsOf(record, change, early)
  if (change?.kind === 'refused') return { view: { ...view, run: { ...view.run, inconsistent: true } }, alerts }
  const gained = change?.kind === 'applied' || change?.kind === 'early'
  return { view: gained && record.eventType === 'StepCompleted' ? withArtifacts(after, record) : after, alerts }
}

export function changeSlot(
  view: RunView,
  address: StepSlot,
  change: (slot: SlotFold, pair: SlotPair, fan: FanFold | undefined) => SlotFold,
): RunView {
  return changeStep(view, address.stepId, (step) => {
    if (address.itemIndex === undefined) {
      const pair = changePair(step, address, step.fan, change)
      return pair === step ? step : { ...step, ...pair }
    }
    const fan = step.fan ?? openFan(0, undefined)
    const before = vectorGet(fan.items, address.itemIndex) ?? EMPTY_PAIR
    const after = changePair(before, address, fan, change)
    return after === before ? step : { ...step, fan: withItem(fan, address.itemIndex, before, after) }
  })
}

function changePair(
  pair: SlotPair,
  address: StepSlot,
  fan: FanFold | undefined,
  change: (slot: SlotFold, pair: SlotPair, fan: FanFold | undefined) => SlotFold,
): SlotPair {
  const isFallback = address.role === 'fallback'
  const before = isFallback ? (pair.fallback ?? EMPTY_SLOT) : pair.own
  const after = change(before, pair, fan)
  if (after === before) return pair
  return isFallback ? { own: pair.own, fallback: after } : { own: after, fallback: pair.fallback }
}

/** The step after a change, with counters; a step that the metadata did not name is added at the end (PRJ-05). */
export function changeStep(view: RunView, stepId: string, change: (step: StepFold) => StepFold): RunView {
  const found = numberOf(view.names, stepId)
  const number = found ?? view.names.size
  const known = found === undefined ? withStep(view, stepId) : view
  const before = vectorGet(known.steps, number) ?? EMPTY_STEP
  const after = change(before)
  if (after === before) return view
  const tally = movedTally(known.tally, stepTally(before), stepTally(after))
  const itemCount = known.itemCount - (before.fan?.total ?? 0) + (after.fan?.total ?? 0)
  return { ...known, tally, itemCount, steps: vectorSet(known.steps, number, after) }
}

function withStep(view: RunView, stepId: string): RunView {
  const extra = view.extraNames.length
  return {
    ...view,
    names: addName(view.names, stepId),
    extraNames: vectorSet(vectorGrow(view.extraNames, extra + 1), extra, stepId),
    steps: vectorGrow(view.steps, view.names.size + 1),
  }
}

/** Items count in their parent's counters, and their work in the run's; a failed item is not a failed step. */
function stepTally(step: StepFold): Tally {
  const own = tallyOf(step, step.fan !== undefined)
  const { working = 0, retrying = 0 } = step.fan ?? {}
  return { ...own, inFlight: own.inFlight + working, retrying: own.retrying + retrying }
}

export function openFan(total: number, since: Moment | undefined): FanFold {
  const counts = { done: 0, failed: 0, running: 0, working: 0, retrying: 0, undone: 0, notUndone: 0 }
  return { total, ...counts, since, items: vectorOf(total) }
}

function withItem(fan: FanFold, index: number, before: SlotPair, after: SlotPair): FanFold {
  const room = index < fan.items.length ? fan.items : vectorGrow(fan.items, index + 1)
  const [left, joined] = [itemCounter(before), itemCounter(after)]
  const [was, is] = [tallyOf(before, false), tallyOf(after, false)]
  const count = (name: 'done' | 'failed' | 'running'): number =>
    fan[name] - (left === name ? 1 : 0) + (joined === name ? 1 : 0)
  const [undoneBefore, undoneAfter] = [compensationCounter(before), compensationCounter(after)]
  const undo = (name: 'undone' | 'notUndone'): number =>
    fan[name] - (undoneBefore === name ? 1 : 0) + (undoneAfter === name ? 1 : 0)
  return {
    ...fan,
    total: Math.max(fan.total, index + 1),
    done: count('done'),
    failed: count('failed'),
    running: count('running'),
    undone: undo('undone'),
    notUndone: undo('notUndone'),
    working: fan.working - was.inFlight + is.inFlight,
    retrying: fan.retrying - was.retrying + is.retrying,
    items: vectorSet(room, index, after),
  }
}

function isFirstStart(slot: SlotFold, record: LogRecord): boolean {
  return record.eventType === 'StepStarted' && slot.attempts.length === 0
}

function countWait(
  view: RunView,
  address: StepSlot,
  slot: SlotFold,
  pair: SlotPair,
  fan: FanFold | undefined,
  at: Moment,
): SlotFold {
  if (address.role === 'fallback') return countFirstWait(slot, pair.own.settled, pair.own.settled ?? at, at)
  if (address.itemIndex !== undefined) return countFirstWait(slot, fan?.since, fan?.since ?? at, at)
  if (view.run.begunMs === undefined) return slot
  const since = { atMs: view.run.begunMs, pausedMs: 0 }
  return countFirstWait(slot, since, view.meta.edges === undefined ? at : readyAt(view, address.stepId, since), at)
}

/** When the last predecessor settled; the run's start for a step without one. */
function readyAt(view: RunView, stepId: string, since: Moment): Moment {
  return predecessors(view, stepId)
    .map((number) => settledAt(vectorGet(view.steps, number) ?? EMPTY_STEP) ?? since)
    .reduce((latest, one) => (one.atMs > latest.atMs ? one : latest), since)
}

function predecessors(view: RunView, stepId: string): readonly number[] {
  return view.predecessors.get(numberOf(view.names, stepId) ?? -1) ?? []
}

function unsettledPredecessors(view: RunView, address: StepSlot): readonly string[] {
  if (address.itemIndex !== undefined || address.role === 'fallback') return []
  return predecessors(view, address.stepId)
    .filter((number) => settledAt(vectorGet(view.steps, number) ?? EMPTY_STEP) === undefined)
    .map((number) => view.meta.stepIds[number] ?? '')
}

function alertsOf(record: LogRecord, change: SlotChange, early: readonly string[]): readonly ViewAlert[] {
  if (change.kind === 'refused') {
    const attemptedState =
      attemptTransition('RUNNING', record.eventType) ?? attemptTransition('PENDING', record.eventType)
    const detail = `${record.eventType} of attempt ${record.logicalAttemptId} of ${record.stepId} came when it was ${change.prior}; it was ignored.`
    return [
      alertAbout(record, 'INVALID_TRANSITION', detail, {
        priorState: change.prior,
        attemptedState: attemptedState ?? '',
      }),
    ]
  }
  if (change.kind === 'early') {
    const detail = `${record.eventType} of ${record.stepId} came before its StepStarted.`
    return [alertAbout(record, 'PROJECTOR_CAUSAL_VIOLATION', detail)]
  }
  if (change.kind !== 'applied' || early.length === 0) return []
  return [
    alertAbout(
      record,
      'PROJECTOR_CAUSAL_VIOLATION',
      `${record.stepId} started before ${early.join(', ')} had settled.`,
    ),
  ]
}

function withArtifacts(view: RunView, record: LogRecord): RunView {
  let { artifacts } = view
  for (const artifact of artifactsOf(fieldsOf(record.payload))) {
    artifacts = vectorSet(vectorGrow(artifacts, artifacts.length + 1), artifacts.length, artifact)
  }
  return { ...view, artifacts }
}
