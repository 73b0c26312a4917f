/**
 * The begin-claim of an irreversible attempt (P-28): on record before the step acts, and only one claimant ever acts. Each
 * call signs with a name of its own, so that an answer which got lost can be looked up instead of guessed.
 */
import type { Effect } from '../core/run/effect.ts'
import type { StepClaim } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import type { Services } from './services.ts'

/** `repeat`: this very dispatch claimed it before and reports by itself. `taken`: another driver may have acted. */
export type ClaimAnswer = 'mine' | 'repeat' | 'taken'

export async function claimBegin(
  services: Services,
  run: LoadedRun,
  effect: Extract<Effect, { kind: 'ExecuteStep' }>,
): Promise<ClaimAnswer> {
  const { store, random } = services
  const { runKey } = run.row
  const dispatch = `${run.epoch}:${effect.engineAttempt}:`
  const claim: StepClaim = { slot: effect.slot, attempt: effect.attempt, claimant: dispatch + random.uuid() }
  const holder = async (): Promise<string | undefined> =>
    (await store.readClaims(runKey)).find((one) => one.slot === claim.slot && one.attempt === claim.attempt)?.claimant
  try {
    if (await store.claimAttempt(runKey, claim)) return 'mine'
  } catch (thrown) {
    if ((await holder()) === claim.claimant) return 'mine'
    throw thrown
  }
  return (await holder())?.startsWith(dispatch) === true ? 'repeat' : 'taken'
}
