/**
 * Durability checked at start: a server that may lose acknowledged writes is refused, or waived with a clear warning.
 * Read from the session, because a role or a database can have its own settings.
 */
import { fail } from '../../../core/problems/problem.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

const SETTINGS = `SELECT name, setting FROM pg_settings
  WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off' ORDER BY name`

/** True when the server keeps what it acknowledges. */
export async function checkDurability(session: Session, waived: boolean): Promise<boolean> {
  const off = (await session.query(SETTINGS)).map((row) => text(row, 'name'))
  if (off.length === 0) return true
  const found = `The PostgreSQL server can lose acknowledged writes: ${off.map((name) => `${name} is off`).join(', ')}.`
  if (!waived)
    fail('STORE_DURABILITY', found, { hint: `Set ${off.map((name) => `${name} = on`).join(', ')} on the server.` })
  process.emitWarning(`${found} Durability was waived for this store.`, { code: 'STORE_DURABILITY' })
  return false
}
