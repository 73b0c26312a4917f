/** Renews leases on its own connection, for a thread that does nothing else while the main thread is stuck. */
import type { OpenRenewer } from '../../../ports/loop-guard.ts'
import { loadDriver } from './driver.ts'

/** Only work in flight must not begin elsewhere; any process may take a run that merely waits. */
const RENEW = `UPDATE keelson.runs
  SET lease_until = floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint + $2::bigint
  WHERE owed AND lease_owner = $1 AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`
const ANSWER_MS = 5_000

/** A new connection each time: this is rare, and an idle connection may be cut silently. */
export const openRenewer: OpenRenewer = async (settings) => {
  const { connectionString } = settings as { readonly connectionString: string }
  const { Client } = await loadDriver()
  return {
    renew: async (owner, leaseMs) => {
      const client = new Client({
        connectionString,
        application_name: 'keelson',
        connectionTimeoutMillis: ANSWER_MS,
        query_timeout: ANSWER_MS,
      })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.query(RENEW, [owner, leaseMs])
      } finally {
        await client.end()
      }
    },
  }
}
