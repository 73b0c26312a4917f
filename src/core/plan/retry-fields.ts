/**
 * Retry policies: what an author may write, and how a partial one is completed from its parent (RTY-01). Classes that
 * must never be retried cannot be listed at all (RTY-14).
 */
import { objectOf, optional, type ObjectOf } from './fields.ts'
import { listOf } from './kind.ts'
import { decimal, delayMs, integer, oneOf } from './kinds.ts'
import type { RetryPolicy } from './plan.ts'
import { PLAN_LIMITS } from './plan-limits.ts'

export const STEP_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialBackoffMs: 1000,
  backoffMultiplier: 2,
  maxBackoffMs: 30_000,
}

export const COMPENSATION_RETRY: RetryPolicy = { ...STEP_RETRY, maxAttempts: 2, maxBackoffMs: 10_000 }

const RETRYABLE_CLASSES = ['timeout', 'rate_limit', '5xx', 'transport', 'unknown'] as const

const FIELDS = {
  maxAttempts: optional(
    integer(1, PLAN_LIMITS.retryAttemptsMax),
    'How often the step is tried in all; the first try counts.',
    '5',
    '3 (compensate: 2)',
  ),
  initialBackoffMs: optional(delayMs, 'The wait before the second try.', '500', '1000'),
  backoffMultiplier: optional(decimal(1, 100), 'How much longer each further wait is than the one before.', '1.5', '2'),
  maxBackoffMs: optional(delayMs, 'The longest wait between two tries.', '60000', '30000 (compensate: 10000)'),
  retryableErrors: optional(
    listOf(oneOf(...RETRYABLE_CLASSES), { unique: true }),
    'Only these classes of errors are tried again. Validation, policy, authorization and conflict errors never are.',
    '[timeout, rate_limit]',
    'all five classes',
  ),
}

export const retry = objectOf(FIELDS, {
  what: 'retry',
  foreign: { attempts: 'write maxAttempts', retries: 'write maxAttempts' },
})

/** What is not written comes from the parent: the plan's policy for a step, the fixed defaults for a compensation. */
export function completeRetry(written: ObjectOf<typeof FIELDS> | undefined, parent: RetryPolicy): RetryPolicy {
  return { ...parent, ...written }
}
