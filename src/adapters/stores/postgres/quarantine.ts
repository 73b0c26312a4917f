/** Setting one run aside, so that a bad row stops that run and no other. */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Session } from './session.ts'

const QUARANTINE = 'UPDATE keelson.runs SET quarantine = $2 WHERE run_key = $1'

export async function quarantine(session: Session, runKey: RunKey, code: string): Promise<void> {
  await session.query(QUARANTINE, [runKey, code])
}
