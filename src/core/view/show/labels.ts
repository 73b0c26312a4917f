/**
 * The words that screens use for numbers and codes. Retries are counted by the logical attempt, which people cause;
 * engine attempts are for operators of the platform (ATT-07). An unknown word is shown unchanged (UIC-04).
 */
import type { RunSnapshot, StepSnapshot } from '../fold/run-snapshot.ts'

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

export function slotLabel({ stepId, role }: Pick<StepSnapshot, 'stepId' | 'role'>): string {
  return role === 'fallback' ? `${stepId.replace(/^FALLBACK:/, '')} (fallback)` : stepId
}
