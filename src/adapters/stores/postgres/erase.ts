/**
 * Erasure (P-34): the values are removed, the records and their hashes stay, so the chain still verifies. Old row
 * versions disappear with the server's next vacuum; its backups and archived write-ahead log must expire on their own.
 */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Session } from './session.ts'

/** The ticket itself removes the values, in the database and with the owner's rights. */
const TICKET = 'INSERT INTO keelson.erasure_tickets (run_key, up_to_seq) VALUES ($1, $2)'

export async function eraseData(session: Session, runKey: RunKey, upToSeq: number): Promise<void> {
  await session.query(TICKET, [runKey, upToSeq])
}
