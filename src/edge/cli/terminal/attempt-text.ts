/** `attempt 3 of 5`; where attempts are not limited, `attempt 3`. */
import type { RetryPolicy } from '../../../core/plan/plan.ts'

export function attemptOf(attempt: number, most: RetryPolicy['maxAttempts']): string {
  return most === 'unlimited' ? `attempt ${attempt}` : `attempt ${attempt} of ${Math.max(attempt, most)}`
}
