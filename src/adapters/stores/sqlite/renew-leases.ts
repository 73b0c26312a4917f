/** Renews leases on its own connection, for a thread that does nothing else while the main thread is stuck. */
import { DatabaseSync } from 'node:sqlite'
import type { OpenRenewer } from '../../../ports/loop-guard.ts'
import { LIVE_STATUS } from './status.ts'

/** Only work in flight must not begin elsewhere; any process may take a run that merely waits. */
const RENEW = `UPDATE runs SET leased_until = ? WHERE owed = 1 AND lease_owner = ?
  AND quarantine IS NULL AND ${LIVE_STATUS}`
const BUSY_MS = 2_000

export const openRenewer: OpenRenewer = async (settings) => {
  const db = new DatabaseSync((settings as { readonly path: string }).path)
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  const renew = db.prepare(RENEW)
  return {
    renew: async (owner, leaseMs) => {
      renew.run(Date.now() + leaseMs, owner)
    },
  }
}
