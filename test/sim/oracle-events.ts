/**
 * The rules of waits for events (P-54), stated a second time: a wait ends by an event that somebody sent under its name and key, with its
 * data, for which its condition holds, and that ended no other wait of the run; and none that fits is left unheard.
 */
import { eventOf } from '../../src/core/plan/plan.ts'
import type { Attempt, RunModel, SlotModel } from './oracle-model.ts'
import type { Walk } from './oracle-walk.ts'
import { slotName, type LogEvent } from './oracle-tables.ts'
import { sortedText } from './value-language.ts'

export interface SentEvent {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly data: { readonly fits: boolean }
  /** Somebody was told that it is kept; until then it may be or not. */
  acknowledged: boolean
}

export function isEventSlot(model: RunModel, slot: SlotModel): boolean {
  return slot.kind === 'wait' && !model.isFanParent(slot) && eventOf(slot.step) !== undefined
}

/** What the attempt is told when it starts: the name, its key as a fact, and when it gives up. */
export function checkEventStart(
  { model, values, must }: Walk,
  slot: SlotModel,
  attempt: Attempt,
  event: LogEvent,
): void {
  const wait = eventOf(slot.step)
  if (wait === undefined) return
  // Its condition has no value: it starts only to fail.
  if (model.follows === 'StepFailed') return
  must(event.payload['forEvent'] === wait.forEvent, `P-54 waits for ${String(event.payload['forEvent'])}`)
  const givesUp = wait.timeoutMs === undefined ? undefined : attempt.at + wait.timeoutMs
  must(attempt.timeoutAt === givesUp, 'P-54 gives up at another time than its plan says')
  attempt.eventKey = String(values.eventKey(slot, event.runSeq - 1))
}

export function checkEventEnd(walk: Walk, slot: SlotModel, attempt: Attempt, event: LogEvent): void {
  const { model, must, witness } = walk
  const wait = eventOf(slot.step)
  const received = event.payload['receivedEvent'] as { readonly id: string } | undefined
  if (received === undefined) return must(false, 'P-54 a wait for an event ended by none')
  const name = slotName(event)
  must(event.decision.cause === `event:${received.id}`, `P-54 ended by ${event.decision.cause}, not by its event`)
  const before = model.usedEvents.get(received.id)
  must(before === undefined, `P-54 twice: ${received.id} ended ${before ?? ''} and ${name}`)
  model.usedEvents.set(received.id, name)
  const sent = witness.sent().find(({ id }) => id === received.id)
  must(sent !== undefined, `P-54 ended by ${received.id}, which nobody sent`)
  if (sent === undefined || wait === undefined) return
  must(fits(wait, attempt, sent), `P-54 ended by ${received.id}, which is not for it`)
  must(
    sortedText(event.data['result']) === sortedText(sent.data),
    `P-54 another output than the data of ${received.id}`,
  )
}

type Wait = NonNullable<ReturnType<typeof eventOf>>

function fits({ forEvent, match }: Wait, { eventKey }: Attempt, { name, key, data }: SentEvent): boolean {
  return forEvent === name && eventKey === key && (match === undefined || data.fits)
}

/** Waits for events that only an event can end. */
export function openEventWaits(model: RunModel): readonly { readonly slot: SlotModel; readonly attempt: Attempt }[] {
  return [...model.open()].filter(({ slot }) => isEventSlot(model, slot))
}

/** Of a run that rests: every event that fits an open wait of it was used up by another one. */
export function unheard(model: RunModel, sent: readonly SentEvent[]): string | undefined {
  for (const { slot, attempt } of openEventWaits(model)) {
    const wait = eventOf(slot.step)
    const lost = sent.find(
      (one) => one.acknowledged && !model.usedEvents.has(one.id) && wait !== undefined && fits(wait, attempt, one),
    )
    if (lost !== undefined) return `P-54 lost: ${slot.name} waits, and ${lost.id} is kept for it`
  }
  return undefined
}
