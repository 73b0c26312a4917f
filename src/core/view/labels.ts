/**
 * The words screens put on numbers and codes. Retries are counted from the logical attempt, which people cause; the
 * engine's attempts are shown to those who run the platform (ATT-07). A word we do not know is shown as it is (UIC-04).
 */
import type { RunSnapshot, StepSnapshot } from './run-snapshot.ts'

/** Undefined for the first attempt, which is no retry. */
export function retryLabel(logicalAttemptId: number): string | undefined {
  return logicalAttemptId > 1 ? `Retry #${logicalAttemptId - 1}` : undefined
}

export function engineAttemptLabel(engineAttemptId: number): string {
  return `Platform attempt ${engineAttemptId}`
}

/** `PAUSED (DRAINING): 3 in-flight tasks`. */
export function statusLabel({
  status,
  substatus,
  message,
}: Pick<RunSnapshot, 'status' | 'substatus' | 'message'>): string {
  const word = substatus === undefined ? status : `${status} (${substatus})`
  return message === undefined ? word : `${word}: ${message}`
}

export function slotLabel({ stepId, itemIndex, role }: Pick<StepSnapshot, 'stepId' | 'itemIndex' | 'role'>): string {
  const name = itemIndex === undefined ? stepId : `${stepId}[${itemIndex}]`
  return role === 'fallback' ? `${name} (fallback)` : name
}
