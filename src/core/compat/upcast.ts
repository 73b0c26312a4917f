/**
 * Where an old event's shape becomes today's, on read only: stored bytes never change (P-33). A new shape adds a row here
 * and a golden history of the old one.
 */
import { EVENT_TYPES, EVENTS } from '../events/event.ts'
import { stepSlotText, type StepSlot } from '../events/slot.ts'

export type Fields = Readonly<Record<string, unknown>>

/** By event type; each converts every earlier shape of its type to today's, and leaves today's unchanged. */
export type Upcasters = Readonly<Record<string, (record: Fields) => Fields>>

/**
 * Before P-52 an item or a fallback had the `stepId` of its parent and was told apart by `itemIndex` and `role` alone, and
 * extensions named their step in the same way.
 */
function ownStepId(record: Fields): Fields {
  const { stepId, itemIndex, role } = record as Partial<StepSlot>
  if (stepId === undefined || (itemIndex === undefined && role === undefined)) return record
  if (record['parentStepId'] !== undefined) return record
  return { ...record, stepId: slotText(record), parentStepId: stepId }
}

function stepIdInPayload(record: Fields): Fields {
  const { stepId, itemIndex: _itemIndex, role: _role, ...rest } = record
  if (stepId === undefined) return record
  return { ...rest, payload: { ...(record['payload'] as Fields | undefined), stepId: slotText(record) } }
}

function slotText(record: Fields): string {
  return stepSlotText(record as unknown as StepSlot)
}

const UPCASTERS: Upcasters = Object.fromEntries(
  EVENT_TYPES.filter((type) => EVENTS[type].level === 'step' || !EVENTS[type].canonical).map((type) => [
    type,
    EVENTS[type].level === 'step' ? ownStepId : stepIdInPayload,
  ]),
)

export function upcast(record: Fields, upcasters: Upcasters = UPCASTERS): Fields {
  const type = record['eventType']
  if (typeof type !== 'string' || !Object.hasOwn(upcasters, type)) return record
  return upcasters[type]?.(record) ?? record
}
