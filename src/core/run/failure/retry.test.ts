import { describe, expect, it } from 'vitest'
import type { RetryPolicy } from '../../plan/plan.ts'
import type { ErrorClass } from '../../events/event.ts'
import { backoffMs, retryDecision } from './retry.ts'

const DEFAULTS: RetryPolicy = { maxAttempts: 3, initialBackoffMs: 1000, backoffMultiplier: 2, maxBackoffMs: 30_000 }

function attemptsUsed(policy: RetryPolicy, errorClass: ErrorClass): { attempts: number; end: string } {
  for (let attempt = 1; ; attempt++) {
    const decision = retryDecision(policy, errorClass, attempt)
    if (decision !== 'retry') return { attempts: attempt, end: decision }
  }
}

describe('backoff', () => {
  it('doubles from one second up to the cap of thirty, without jitter [RTY-02, X-65]', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((retry) => backoffMs(DEFAULTS, retry))
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    expect([1, 2, 3].map((retry) => backoffMs(DEFAULTS, retry))).toEqual(delays.slice(0, 3))
  })

  it('stays a whole number of milliseconds within the cap for any policy', () => {
    expect(backoffMs({ ...DEFAULTS, backoffMultiplier: 1.5 }, 3)).toBe(2250)
    expect(backoffMs({ ...DEFAULTS, backoffMultiplier: 10 }, 2_000)).toBe(30_000)
    expect(backoffMs({ ...DEFAULTS, initialBackoffMs: 0, backoffMultiplier: 10 }, 2_000)).toBe(0)
    expect(backoffMs({ ...DEFAULTS, initialBackoffMs: 60_000 }, 1)).toBe(30_000)
  })
})

describe('the retry decision', () => {
  it.each(['timeout', 'rate_limit', '5xx', 'transport'] as const)(
    'repeats %s until attempts are used up [RTY-03]',
    (errorClass) => {
      expect(attemptsUsed(DEFAULTS, errorClass)).toEqual({ attempts: 3, end: 'exhausted' })
    },
  )

  it('repeats an unknown error until attempts are used up', () => {
    expect(attemptsUsed(DEFAULTS, 'unknown')).toEqual({ attempts: 3, end: 'exhausted' })
  })

  it.each(['validation', 'policy_deny', 'auth_deny', 'conflict', 'permanent', 'cancelled'] as const)(
    'ends at once on %s, even for a policy that lists it [RTY-04, RTY-14]',
    (errorClass) => {
      const lists = { ...DEFAULTS, retryableErrors: [errorClass] } as unknown as RetryPolicy
      expect(attemptsUsed(DEFAULTS, errorClass)).toEqual({ attempts: 1, end: 'permanent' })
      expect(attemptsUsed(lists, errorClass)).toEqual({ attempts: 1, end: 'permanent' })
    },
  )

  it('repeats only the listed classes when a list is given, unknown too [RTY-14]', () => {
    const onlyTimeout: RetryPolicy = { ...DEFAULTS, retryableErrors: ['timeout'] }
    expect(attemptsUsed(onlyTimeout, 'unknown')).toEqual({ attempts: 1, end: 'permanent' })
    expect(attemptsUsed(onlyTimeout, 'timeout')).toEqual({ attempts: 3, end: 'exhausted' })
    expect(attemptsUsed({ ...DEFAULTS, retryableErrors: ['unknown'] }, 'unknown').attempts).toBe(3)
  })

  it('fails at once on a timeout that the list does not name [RTY-10]', () => {
    const noTimeout: RetryPolicy = { ...DEFAULTS, retryableErrors: ['rate_limit', '5xx', 'transport', 'unknown'] }
    expect(attemptsUsed(noTimeout, 'timeout')).toEqual({ attempts: 1, end: 'permanent' })
    expect(attemptsUsed({ ...DEFAULTS, retryableErrors: [] }, 'timeout')).toEqual({ attempts: 1, end: 'permanent' })
  })

  it('tells the last attempt of a repeatable error from a permanent one', () => {
    expect(retryDecision({ ...DEFAULTS, maxAttempts: 1 }, 'timeout', 1)).toBe('exhausted')
    expect(retryDecision({ ...DEFAULTS, maxAttempts: 1 }, 'conflict', 1)).toBe('permanent')
  })
})
