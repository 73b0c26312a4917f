/**
 * The retry policy as arithmetic: how long to wait before a retry, and whether there is one at all.
 * The order of the questions is RTY-14's; nothing else in the product decides whether an attempt is repeated.
 */
import type { ErrorClass } from '../../events/event.ts'
import type { RetryPolicy } from '../../plan/plan.ts'

export type RetryDecision = 'retry' | 'exhausted' | 'permanent'

/** Never repeated, even when a policy lists them (RTY-04, ERR-09). */
const NEVER: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'cancelled',
  'validation',
  'policy_deny',
  'auth_deny',
  'conflict',
  'permanent',
])

/** Delay before retry `retry` (1 is the first): min(initial × multiplier^(retry − 1), max), in whole milliseconds. */
export function backoffMs(policy: RetryPolicy, retry: number): number {
  const grown = policy.initialBackoffMs * policy.backoffMultiplier ** Math.max(0, retry - 1)
  // A zero delay times an infinite factor is NaN; no delay stays no delay.
  if (Number.isNaN(grown)) return 0
  return Math.max(0, Math.round(Math.min(grown, policy.maxBackoffMs)))
}

/** `attempt` is the number of the attempt that just failed; `exhausted` means it would have been retried. */
export function retryDecision(policy: RetryPolicy, errorClass: ErrorClass, attempt: number): RetryDecision {
  if (!isRepeatable(policy, errorClass)) return 'permanent'
  return policy.maxAttempts !== 'unlimited' && attempt >= policy.maxAttempts ? 'exhausted' : 'retry'
}

function isRepeatable(policy: RetryPolicy, errorClass: ErrorClass): boolean {
  if (NEVER.has(errorClass)) return false
  return policy.retryableErrors?.some((listed) => listed === errorClass) ?? true
}
