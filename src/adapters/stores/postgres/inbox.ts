/** The inbox of a run (P-21): anyone inserts, only a commit consumes; rows stay, so that a repeat is recognised. */
import { hash } from 'node:crypto'
import type { Clock } from '../../../ports/clock.ts'
import type { InboxAnswer, InboxInsert, InboxRow, RunKey, RunRef } from '../../../ports/run-store.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, TurnReads } from './session.ts'

const PUT = 'SELECT * FROM keelson.put_letter($1, $2, $3, $4, $5, $6, $7)'
const COLUMNS = 'SELECT inbox_id, kind, body, inserted_at, consumed_seq FROM keelson.run_inbox'
const FIND = `${COLUMNS} WHERE run_key = $1 AND inbox_id = $2`

export async function insertInbox(
  session: Session,
  ref: RunRef,
  insert: InboxInsert,
  clock: Clock | undefined,
): Promise<InboxAnswer | { readonly kind: 'no-run' }> {
  requireTenant(ref.tenantId)
  const { inboxId, kind, body } = insert
  const values = [ref.tenantId, ref.runId, inboxId, kind, body, hash('sha256', body), clock?.now()]
  const [row = {}] = await session.query(PUT, values)
  const answer = text(row, 'answer')
  if (answer === 'no-run' || answer === 'inserted') return { kind: answer }
  return { kind: answer === 'duplicate' ? 'duplicate' : 'conflict', row: inboxRow(row) }
}

export function inboxRow(row: Columns): InboxRow {
  return {
    inboxId: text(row, 'inbox_id'),
    kind: text(row, 'kind'),
    body: text(row, 'body'),
    insertedAt: number(row, 'inserted_at'),
    ...(row['consumed_seq'] === null ? {} : { consumedSeq: number(row, 'consumed_seq') }),
  }
}

export function readInbox(turns: TurnReads, runKey: RunKey): Promise<readonly InboxRow[]> {
  return turns.inboxRows(runKey)
}

export async function findInbox(session: Session, runKey: RunKey, inboxId: string): Promise<InboxRow | undefined> {
  const [row] = await session.query(FIND, [runKey, inboxId])
  return row === undefined ? undefined : inboxRow(row)
}
