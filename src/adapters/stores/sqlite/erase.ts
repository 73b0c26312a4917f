/**
 * Erasure (P-34): the values go, the records and their hashes stay, so the chain still verifies. The file is then written
 * anew, because pages that split earlier keep copies of what they held; that takes as long as the file is large.
 */
import type { RunKey } from '../../../ports/run-store.ts'
import { eraseBlobs } from './blobs.ts'
import type { Connection } from './connect.ts'
import { eraseContext } from './context.ts'
import { eraseErrors } from './feed.ts'
import { eraseBodies } from './inbox.ts'
import { eraseSnapshots } from './snapshots.ts'

const TICKET = 'INSERT INTO erasure_tickets (run_key, up_to_seq) VALUES (?, ?)'
const ERASE = 'UPDATE events SET data = NULL, salt = NULL WHERE run_key = ? AND seq <= ? AND data IS NOT NULL'
const USED = 'DELETE FROM erasure_tickets WHERE run_key = ?'

export async function eraseData(connection: Connection, runKey: RunKey, upToSeq: number): Promise<void> {
  await connection.write(() => {
    connection.sql(TICKET).run(runKey, upToSeq)
    connection.sql(ERASE).run(runKey, upToSeq)
    connection.sql(USED).run(runKey)
    eraseBlobs(connection, runKey)
    eraseContext(connection, runKey, upToSeq)
    eraseBodies(connection, runKey, upToSeq)
    eraseSnapshots(connection, runKey, upToSeq)
    eraseErrors(connection, runKey, upToSeq)
  })
  await connection.read(() => connection.db.exec('VACUUM'))
  // A reader elsewhere can hold the old log for a while; then the next checkpoint drops it.
  await connection.read(() => connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
}
