/** Begin-claims of attempts (P-28): the first claimant of an attempt stays the only one. */
import type { RunKey, StepClaim } from '../../../ports/run-store.ts'
import { number, text } from './run-row.ts'
import type { Session } from './session.ts'

const CLAIM = `INSERT INTO keelson.step_claims (run_key, slot, attempt, claimant) SELECT run_key, $2, $3, $4
  FROM keelson.runs WHERE run_key = $1 AND archived_at IS NULL
  ON CONFLICT (run_key, slot, attempt) DO NOTHING RETURNING claim_pos`
const READ = 'SELECT slot, attempt, claimant FROM keelson.step_claims WHERE run_key = $1 ORDER BY claim_pos'

export async function claimAttempt(session: Session, runKey: RunKey, claim: StepClaim): Promise<boolean> {
  const { slot, attempt, claimant } = claim
  return (await session.query(CLAIM, [runKey, slot, attempt, claimant])).length === 1
}

export async function readClaims(session: Session, runKey: RunKey): Promise<readonly StepClaim[]> {
  const rows = await session.query(READ, [runKey])
  return rows.map((row) => ({
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    claimant: text(row, 'claimant'),
  }))
}
