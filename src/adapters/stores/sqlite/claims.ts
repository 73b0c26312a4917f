/** Begin-claims of attempts (P-28): the first claimant of an attempt stays the only one. */
import type { RunKey, StepClaim } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, text } from './run-row.ts'

const CLAIM = `INSERT INTO step_claims (run_key, slot, attempt, claimant) SELECT run_key, ?, ?, ? FROM runs
  WHERE run_key = ? AND archived_at IS NULL ON CONFLICT (run_key, slot, attempt) DO NOTHING`
const READ = 'SELECT slot, attempt, claimant FROM step_claims WHERE run_key = ? ORDER BY claim_pos'

export async function claimAttempt(connection: Connection, runKey: RunKey, claim: StepClaim): Promise<boolean> {
  const { slot, attempt, claimant } = claim
  const { changes } = await connection.write(() => connection.sql(CLAIM).run(slot, attempt, claimant, runKey))
  return Number(changes) === 1
}

export async function readClaims(connection: Connection, runKey: RunKey): Promise<readonly StepClaim[]> {
  const rows = await connection.read(() => connection.sql(READ).all(runKey))
  return rows.map((row) => ({
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    claimant: text(row, 'claimant'),
  }))
}
