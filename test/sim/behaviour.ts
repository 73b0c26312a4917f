/**
 * What steps do when they are executed, drawn from the seed, the slot and the attempt alone: the same attempt behaves
 * the same however the rest of a history is cut down.
 */
import { Rng } from './random.ts'

export interface Behaviour {
  readonly kind: 'succeed' | 'fail' | 'hang' | 'stubborn'
  readonly ms: number
  readonly errorClass: string
}

export interface BehaviourRates {
  readonly fail: number
  readonly hang: number
  /** Ignores its signal and ends long after. */
  readonly stubborn: number
  readonly slowestMs: number
}

const ERRORS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  timeout: { name: 'TimeoutError' },
  rate_limit: { status: 429 },
  '5xx': { status: 503 },
  transport: { code: 'ECONNREFUSED' },
  unknown: { name: 'Oops' },
  validation: { status: 400 },
  auth_deny: { status: 401 },
  policy_deny: { name: 'PolicyDeniedError' },
  conflict: { status: 409 },
  permanent: { name: 'NotFoundError' },
}

export const ERROR_NAMES = Object.keys(ERRORS)

/** What the step throws. Not an Error: its stack would be of this machine and cost more than the step. */
export function thrownOf(errorClass: string): unknown {
  return { message: `simulated ${errorClass}`, ...ERRORS[errorClass] }
}

export function behaviourOf(
  seed: number,
  rates: BehaviourRates,
  slot: string,
  attempt: number,
  engineAttempt: number,
): Behaviour {
  const rng = new Rng(`${seed}|${slot}|${attempt}|${engineAttempt}`)
  const kind = rng.weighted({
    succeed: 1 - rates.fail - rates.hang - rates.stubborn,
    fail: rates.fail,
    hang: rates.hang,
    stubborn: rates.stubborn,
  })
  const repeatable = ['timeout', 'rate_limit', '5xx', 'transport', 'unknown']
  return {
    kind,
    ms: rng.chance(0.5) ? 0 : rng.int(0, rates.slowestMs),
    errorClass: rng.chance(0.6) ? rng.pick(repeatable) : rng.pick(ERROR_NAMES),
  }
}

/** A number and a list that every execution of a slot gives alike; a step that is told a size gives a list of it. */
export function resultOf(seed: number, slot: string, input: unknown): { readonly n: number; readonly list: number[] } {
  const rng = new Rng(`result ${seed}|${slot}`)
  const { size = rng.pick([0, 1, 1, 2, 3]) } = (input ?? {}) as { readonly size?: number }
  return { n: rng.int(0, 9), list: Array.from({ length: size }, (_, index) => index * 2) }
}
