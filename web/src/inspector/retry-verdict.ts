/** Why a failed attempt was tried again or was not, in words, from what its event says and the rules that the core decides by. */
import type { ErrorClass } from '../../../src/core/events/event.ts'
import type { RetryPolicy } from '../../../src/core/plan/plan.ts'
import { retryDecision } from '../../../src/core/run/failure/retry.ts'

export interface FailedAttempt {
  readonly errorClass: ErrorClass | undefined
  readonly attempt: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** `policy`: that of the step; undefined where the plan is not known. */
export function retryVerdict({ errorClass, attempt, payload }: FailedAttempt, policy: RetryPolicy | undefined): string {
  const of = policy === undefined ? '' : ` (attempt ${attempt} of ${most(policy)})`
  if (typeof payload['retryAt'] === 'string')
    return `tried again: an error of class ${errorClass ?? 'unknown'} may pass${of}`
  if (payload['fallback'] === true) return `not tried again${of}: its fallback runs next`
  if (payload['approvalSpent'] === true) return 'not tried again: its approval was for one dispatch'
  const after = payload['handled'] === true ? '; the run goes on without it' : ''
  if (payload['forced'] === true) return `not tried again: the run ended the attempt itself${after}`
  if (policy === undefined || errorClass === undefined) return `not tried again${after}`
  switch (retryDecision(policy, errorClass, attempt)) {
    case 'permanent':
      return `not tried again: an error of class ${errorClass} is not retried${after}`
    case 'exhausted':
      return `not tried again: it was attempt ${attempt} of ${most(policy)}${after}`
    case 'retry':
      return `not tried again: the run was failing or being cancelled, or nobody knows whether its effect happened${after}`
  }
}

const most = ({ maxAttempts }: RetryPolicy): string =>
  maxAttempts === 'unlimited' ? 'as many as it takes' : String(maxAttempts)
