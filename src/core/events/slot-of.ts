/**
 * The slot of an event, read back from the event itself. Only an alert needs more than its payload: the first runSeq of
 * the decision that raised it.
 */
import {
  RUN_SLOT,
  alertSlot,
  compensationSlot,
  forkSlot,
  lateSlot,
  parseStepSlot,
  signalSlot,
  taskSlot,
  type StepSlot,
} from './slot.ts'
import { EVENTS, isEventType } from './event.ts'

export interface SlottedEvent {
  readonly eventType: string
  readonly stepId?: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** The slot of the step that an event is about: a step event's own, or the one an extension names in its payload (P-52). */
export function stepSlotOf({ eventType, stepId, payload }: SlottedEvent): string | undefined {
  if (!isEventType(eventType) || EVENTS[eventType].level === 'step') return stepId
  const named = EVENTS[eventType].canonical ? undefined : payload?.['stepId']
  return typeof named === 'string' ? named : undefined
}

/** The same, in its parts. Undefined when the event is about no step, or names it by a text that is no slot. */
export function stepAbout(event: SlottedEvent): StepSlot | undefined {
  const slot = stepSlotOf(event)
  return slot === undefined ? undefined : parseStepSlot(slot)
}

/** The step of the plan that an event is about: of an item or a fallback, its parent. */
export function planStepOf(event: SlottedEvent): string | undefined {
  return stepAbout(event)?.stepId
}

/** Undefined when the event does not say. */
export function slotOf(event: SlottedEvent, raisedAtSeq?: number): string | undefined {
  const payload = event.payload ?? {}
  const about = stepSlotOf(event)
  switch (event.eventType) {
    case 'StepStarted':
    case 'StepCompleted':
    case 'StepFailed':
    case 'StepSkipped':
    case 'FanOutExpanded':
      return about
    case 'CompensationStarted':
    case 'CompensationCompleted':
    case 'CompensationFailed':
      return about && compensationSlot(about)
    case 'ManualTaskOpened':
      return about && typeof payload['attempt'] === 'number' ? taskSlot(about, payload['attempt']) : undefined
    case 'LateOutcomeRecorded':
      if (about === undefined || typeof payload['attempt'] !== 'number') return undefined
      return lateSlot(payload['compensation'] === true ? compensationSlot(about) : about, payload['attempt'])
    case 'SignalAccepted':
    case 'SignalRejected':
      return textOf(payload['signalId'], signalSlot)
    case 'RunForked':
      return textOf(payload['newRunId'], forkSlot)
    case 'AlertRaised':
    case 'AlertEscalated':
      if (raisedAtSeq === undefined) return undefined
      return textOf(payload['code'], (code) => alertSlot(code, about ?? RUN_SLOT, raisedAtSeq))
    default:
      return RUN_SLOT
  }
}

function textOf(value: unknown, slot: (text: string) => string): string | undefined {
  return typeof value === 'string' ? slot(value) : undefined
}
