/** Setting one run aside, so that a bad row stops that run and no other. */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'

const QUARANTINE = 'UPDATE runs SET quarantine = ? WHERE run_key = ?'
const LIFT = `UPDATE runs SET quarantine = NULL, deaths = 0, doing = NULL, died_doing = NULL, lease_owner = NULL,
  leased_until = NULL WHERE run_key = ? AND quarantine = ?`

export async function quarantine(connection: Connection, runKey: RunKey, code: string): Promise<void> {
  await connection.write(() => connection.sql(QUARANTINE).run(code, runKey))
}

export async function liftQuarantine(connection: Connection, runKey: RunKey, code: string): Promise<boolean> {
  return connection.write(() => Number(connection.sql(LIFT).run(runKey, code).changes) > 0)
}
