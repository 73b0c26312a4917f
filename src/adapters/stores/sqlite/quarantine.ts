/** Setting one run aside, so that a bad row stops that run and no other. */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'

const QUARANTINE = 'UPDATE runs SET quarantine = ? WHERE run_key = ?'

export async function quarantine(connection: Connection, runKey: RunKey, code: string): Promise<void> {
  await connection.write(() => connection.sql(QUARANTINE).run(code, runKey))
}
