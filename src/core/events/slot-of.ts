/**
 * The slot an event stands in, read back from the event itself (protocol, Keys). Only an alert
 * needs more than its payload: the first runSeq of the decision that raised it.
 */
import {
  RUN_SLOT,
  alertSlot,
  compensationSlot,
  forkSlot,
  lateSlot,
  signalSlot,
  stepSlotText,
  taskSlot,
  type StepSlot,
} from './slot.ts'

export interface SlottedEvent extends Partial<StepSlot> {
  readonly eventType: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** Undefined when the event does not tell. */
export function slotOf(event: SlottedEvent, raisedAtSeq?: number): string | undefined {
  const payload = event.payload ?? {}
  const about = event.stepId === undefined ? undefined : stepSlotText({ ...event, stepId: event.stepId })
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
