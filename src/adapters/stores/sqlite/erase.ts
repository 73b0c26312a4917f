/**
 * Erasure (P-34): the values are removed, the records and their hashes stay, so the chain still verifies. The file is
 * then rewritten, because pages that were split earlier keep copies; the time depends on the size of the file.
 */
import type { RunKey } from '../../../ports/run-store.ts'
import { dataFrom } from './append-text.ts'
import { eraseBlobs } from './blobs.ts'
import type { Connection } from './connect.ts'
import { eraseContext } from './context.ts'
import { eraseDecisions } from './decisions.ts'
import { eraseEvents } from './events.ts'
import { eraseErrors } from './feed.ts'
import { eraseAnswers } from './idempotency.ts'
import { eraseBodies } from './inbox.ts'
import { eraseLabels } from './labels.ts'
import { eraseCheckpoints } from './checkpoints.ts'
import { number, text } from './run-row.ts'
import { forgetWork } from './work.ts'

const TICKET = 'INSERT INTO erasure_tickets (run_key, up_to_seq) VALUES (?, ?)'
const ERASE_WHOLE = 'UPDATE appends SET data = NULL WHERE run_key = ? AND last_seq <= ? AND data IS NOT NULL'
const PARTED = `SELECT pos, first_seq, data FROM appends
  WHERE run_key = ? AND first_seq <= ? AND last_seq > ? AND data IS NOT NULL`
const ERASE_PART = 'UPDATE appends SET data = ? WHERE pos = ?'
const USED = 'DELETE FROM erasure_tickets WHERE run_key = ?'

export async function eraseData(connection: Connection, runKey: RunKey, upToSeq: number): Promise<void> {
  await connection.write(() => {
    connection.sql(TICKET).run(runKey, upToSeq)
    eraseEventData(connection, runKey, upToSeq)
    connection.sql(USED).run(runKey)
    eraseBlobs(connection, runKey)
    eraseContext(connection, runKey, upToSeq)
    eraseEvents(connection, runKey, upToSeq)
    eraseBodies(connection, runKey, upToSeq)
    eraseCheckpoints(connection, runKey, upToSeq)
    eraseLabels(connection, runKey)
    eraseErrors(connection, runKey, upToSeq)
    eraseDecisions(connection, runKey)
    eraseAnswers(connection, runKey)
    forgetWork(connection, runKey)
  })
  await connection.read(() => connection.db.exec('VACUUM'))
  // A reader elsewhere can hold the old log for a while; then the next checkpoint drops it.
  await connection.read(() => connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
}

/** One append may hold both events that are erased and events that stay: the values of these are left as they are. */
function eraseEventData(connection: Connection, runKey: RunKey, upToSeq: number): void {
  connection.sql(ERASE_WHOLE).run(runKey, upToSeq)
  for (const row of connection.sql(PARTED).all(runKey, upToSeq, upToSeq)) {
    const all = text(row, 'data')
    const left = dataFrom(all, upToSeq - number(row, 'first_seq') + 1)
    if (left !== all) connection.sql(ERASE_PART).run(left, number(row, 'pos'))
  }
}
