/** Setting one run aside, so that a bad row stops that run and no other. */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Session } from './session.ts'

const QUARANTINE = 'UPDATE keelson.runs SET quarantine = $2 WHERE run_key = $1'

const LIFT = `UPDATE keelson.runs SET quarantine = NULL, deaths = 0, doing = NULL, died_doing = NULL, lease_owner = NULL,
  lease_until = NULL WHERE run_key = $1 AND quarantine = $2 RETURNING run_key`

export async function quarantine(session: Session, runKey: RunKey, code: string): Promise<void> {
  await session.query(QUARANTINE, [runKey, code])
}

export async function liftQuarantine(session: Session, runKey: RunKey, code: string): Promise<boolean> {
  return (await session.query(LIFT, [runKey, code])).length > 0
}
