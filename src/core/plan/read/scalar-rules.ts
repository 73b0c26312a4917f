/**
 * Which keys and scalar values a plan may hold, in any syntax: what canonical JSON cannot keep exactly, or what would
 * reach a prototype, is refused and never changed.
 */
import { numberLoss } from '../../json/exact-number.ts'
import { problem, type Problem } from '../../problems/problem.ts'
import { REFUSED_KEYS } from '../plan-limits.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

export function valueProblem(value: unknown): Problem | undefined {
  if (typeof value === 'string' && LONE_SURROGATE.test(value)) {
    return problem('PLAN_VALUE_UNSUPPORTED', 'this text contains half of a Unicode character')
  }
  if (typeof value !== 'number') return undefined
  if (!Number.isFinite(value)) {
    return problem('PLAN_VALUE_UNSUPPORTED', 'this number is not finite', { hint: 'write it as text in quotes' })
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const message = 'this whole number is too large to be kept exactly'
    return problem('PLAN_VALUE_UNSUPPORTED', message, { hint: 'write it as text in quotes' })
  }
  return undefined
}

/** For a number in the plan's text: the written value may be lost although the parsed number is valid. */
export function writtenProblem(value: unknown, written: string): Problem | undefined {
  const loss = typeof value === 'number' && Number.isFinite(value) ? numberLoss(written) : undefined
  return (
    valueProblem(value) ??
    (loss === undefined ? undefined : problem('PLAN_VALUE_UNSUPPORTED', loss, { hint: 'write it as text in quotes' }))
  )
}

export function keyProblem(key: string): Problem | undefined {
  if (REFUSED_KEYS.has(key)) return problem('PLAN_KEY_REFUSED', `'${key}' is not allowed as a key`)
  if (LONE_SURROGATE.test(key)) return problem('PLAN_KEY_REFUSED', 'this key contains half of a Unicode character')
  return undefined
}
