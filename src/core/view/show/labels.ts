/**
 * The words that screens use for numbers and slots. Retries are counted by the logical attempt, which people cause; engine attempts are for
 * operators of the platform (ATT-07).
 */
import { parseStepSlot } from '../../events/slot.ts'

/** Undefined for the first attempt, which is no retry. */
export function retryLabel(logicalAttemptId: number): string | undefined {
  return logicalAttemptId > 1 ? `Retry #${logicalAttemptId - 1}` : undefined
}

export function engineAttemptLabel(engineAttemptId: number): string {
  return `Platform attempt ${engineAttemptId}`
}

/** `pay[3] (fallback)`; what is no slot of a step is told as it stands. */
export function slotLabel(slot: string): string {
  return parseStepSlot(slot)?.role === 'fallback' ? `${slot.replace(/^FALLBACK:/, '')} (fallback)` : slot
}
