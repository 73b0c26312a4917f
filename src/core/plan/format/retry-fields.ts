/**
 * Retry policies: what an author may write, and how a partial policy is completed from its parent (RTY-01). Classes
 * that must never be retried cannot be listed at all (RTY-14).
 */
import { objectOf, optional, type ObjectOf } from './fields.ts'
import { kindOf, listOf, type Kind } from './kind.ts'
import { decimal, delayMs, integer, oneOf } from './kinds.ts'
import type { RetryPolicy } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'

export const STEP_RETRY: RetryPolicy = {
  maxAttempts: 3,
  initialBackoffMs: 1000,
  backoffMultiplier: 2,
  maxBackoffMs: 30_000,
}

export const COMPENSATION_RETRY: RetryPolicy = { ...STEP_RETRY, maxAttempts: 2, maxBackoffMs: 10_000 }

const RETRYABLE_CLASSES = ['timeout', 'rate_limit', '5xx', 'transport', 'unknown'] as const

const attempts: Kind<number | 'unlimited'> = kindOf(
  `a whole number from 1 to ${PLAN_LIMITS.retryAttemptsMax}, or 'unlimited'`,
  { anyOf: [integer(1, PLAN_LIMITS.retryAttemptsMax).schema, { const: 'unlimited' }] },
  (value): value is number | 'unlimited' =>
    value === 'unlimited' ||
    (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= PLAN_LIMITS.retryAttemptsMax),
)

const FIELDS = {
  maxAttempts: optional(attempts, 'The number of attempts, including the first one.', '5', '3 (compensate: 2)'),
  initialBackoffMs: optional(delayMs, 'The wait before the second attempt.', '500', '1000'),
  backoffMultiplier: optional(decimal(1, 100), 'The factor between one wait and the next.', '1.5', '2'),
  maxBackoffMs: optional(delayMs, 'The longest wait between two attempts.', '60000', '30000 (compensate: 10000)'),
  retryableErrors: optional(
    listOf(oneOf(...RETRYABLE_CLASSES), { unique: true }),
    'Only these classes of errors are retried. Validation, policy, authorization and conflict errors are never retried.',
    '[timeout, rate_limit]',
    'all five classes',
  ),
}

export const retry = objectOf(FIELDS, {
  what: 'retry',
  foreign: { attempts: 'write maxAttempts', retries: 'write maxAttempts' },
})

/** Missing fields come from the parent: the plan's policy for a step, the fixed defaults for a compensation. */
export function completeRetry(written: ObjectOf<typeof FIELDS> | undefined, parent: RetryPolicy): RetryPolicy {
  return { ...parent, ...written }
}
