/**
 * Erasure (P-34): the values go, the records and their hashes stay, so the chain still verifies. Old row versions go
 * with the server's next vacuum, and what its backups and archived write-ahead log hold is theirs to expire.
 */
import type { RunKey } from '../../../ports/run-store.ts'
import { eraseBlobs } from './blobs.ts'
import { eraseContext } from './context.ts'
import { eraseErrors } from './feed.ts'
import { eraseBodies } from './inbox.ts'
import type { Sessions } from './session.ts'
import { eraseSnapshots } from './snapshots.ts'

const TICKET = 'INSERT INTO keelson.erasure_tickets (run_key, up_to_seq) VALUES ($1, $2)'
const ERASE = `UPDATE keelson.events SET data = NULL, salt = NULL
  WHERE run_key = $1 AND seq <= $2 AND data IS NOT NULL`
const USED = 'DELETE FROM keelson.erasure_tickets WHERE run_key = $1'

export async function eraseData(connection: Sessions, runKey: RunKey, upToSeq: number): Promise<void> {
  await connection.transaction(async (transaction) => {
    await transaction.query(TICKET, [runKey, upToSeq])
    await transaction.query(ERASE, [runKey, upToSeq])
    await transaction.query(USED, [runKey])
    await eraseBlobs(transaction, runKey)
    await eraseContext(transaction, runKey, upToSeq)
    await eraseBodies(transaction, runKey, upToSeq)
    await eraseSnapshots(transaction, runKey, upToSeq)
    await eraseErrors(transaction, runKey, upToSeq)
  })
}
