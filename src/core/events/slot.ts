/**
 * Slots name what an event is about: a step, an item of a fan-out, its fallback, a compensation, a signal … A slot's
 * text is the second part of the idempotency key. A stepId contains neither a colon nor a bracket, so every text has
 * one meaning.
 */
export interface StepSlot {
  readonly stepId: string
  readonly itemIndex?: number
  readonly role?: 'fallback'
}

export function stepSlotText(slot: StepSlot): string {
  const base = slot.itemIndex === undefined ? slot.stepId : `${slot.stepId}[${slot.itemIndex}]`
  return slot.role === 'fallback' ? `FALLBACK:${base}` : base
}

/** `RUN` is no step: it stands for "no step" in keys. */
export const STEP_SLOT_PATTERN = '^(FALLBACK:)?(?!RUN(?:\\[|$))([A-Za-z0-9_.-]{1,128})(?:\\[(0|[1-9]\\d{0,5})\\])?$'
const STEP_SLOT = new RegExp(STEP_SLOT_PATTERN)

export function parseStepSlot(text: string): StepSlot | undefined {
  const match = STEP_SLOT.exec(text)
  if (match === null || match[2] === undefined) return undefined
  return {
    stepId: match[2],
    ...(match[3] === undefined ? {} : { itemIndex: Number(match[3]) }),
    ...(match[1] === undefined ? {} : { role: 'fallback' as const }),
  }
}

/** How records and views name a slot: its text, and for an item or a fallback its parts (P-52). */
export function slotNames(slot: StepSlot): {
  readonly stepId: string
  readonly parentStepId?: string
  readonly itemIndex?: number
  readonly role?: 'fallback'
} {
  if (slot.itemIndex === undefined && slot.role === undefined) return { stepId: slot.stepId }
  return { ...slot, stepId: stepSlotText(slot), parentStepId: slot.stepId }
}

export const RUN_SLOT = 'RUN'
export const signalSlot = (signalId: string): string => `SIGNAL:${signalId}`
export const taskSlot = (slot: string, attempt: number): string => `TASK:${slot}:${attempt}`
export const compensationSlot = (slot: string): string => `COMP:${slot}`
export const lateSlot = (slot: string, attempt: number): string => `LATE:${slot}:${attempt}`
export const alertSlot = (code: string, about: string, firstSeq: number): string => `ALERT:${code}:${about}:${firstSeq}`
export const forkSlot = (newRunId: string): string => `FORK:${newRunId}`

/** The step slot inside a prefixed slot: `COMP:pay[3]` is about `pay[3]`, `TASK:a:1` and `LATE:COMP:a:1` about `a`. */
export function innerStepSlot(text: string): StepSlot | undefined {
  if (text.startsWith('COMP:')) return parseStepSlot(text.slice(5))
  if (text.startsWith('LATE:')) {
    const about = text.slice(5, text.lastIndexOf(':'))
    return parseStepSlot(about.startsWith('COMP:') ? about.slice(5) : about)
  }
  if (text.startsWith('TASK:')) return parseStepSlot(text.slice(5, text.lastIndexOf(':')))
  if (text.startsWith('ALERT:')) {
    const about = text.slice(text.indexOf(':', 6) + 1, text.lastIndexOf(':'))
    return about === RUN_SLOT ? undefined : parseStepSlot(about)
  }
  if (text === RUN_SLOT || text.startsWith('SIGNAL:') || text.startsWith('FORK:')) return undefined
  return parseStepSlot(text)
}
