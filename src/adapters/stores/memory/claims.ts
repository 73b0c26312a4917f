/** Begin-claims of attempts (P-28): the first claimant of an attempt stays the only one. */
import type { StepClaim } from '../../../ports/run-store.ts'
import { pair, type MemoryRun } from './connect.ts'

export function claimAttempt(run: MemoryRun | undefined, claim: StepClaim): boolean {
  const attempt = pair(claim.slot, String(claim.attempt))
  if (run === undefined || run.claims.has(attempt)) return false
  run.claims.set(attempt, Object.freeze({ ...claim }))
  return true
}
