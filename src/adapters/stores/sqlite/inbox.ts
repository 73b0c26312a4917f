/** The inbox of a run (P-21): anyone inserts, only a commit consumes; rows stay, so that a repeat is recognised. */
import { hash } from 'node:crypto'
import type { Clock } from '../../../ports/clock.ts'
import type { InboxAnswer, InboxInsert, InboxRow, RunCommit, RunKey, RunRef } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const RUN_KEY = 'SELECT run_key FROM runs WHERE tenant_id = ? AND run_id = ? AND archived_at IS NULL'
const FIND = 'SELECT * FROM run_inbox WHERE run_key = ? AND inbox_id = ?'
const UNCONSUMED = 'SELECT * FROM run_inbox WHERE run_key = ? AND consumed_seq IS NULL ORDER BY inbox_pos'
const INSERT = 'INSERT INTO run_inbox (run_key, inbox_id, kind, body, inserted_at) VALUES (?, ?, ?, ?, ?)'
const RING = 'UPDATE runs SET inbox_since = ? WHERE run_key = ? AND inbox_since IS NULL'
const CONSUME = 'UPDATE run_inbox SET consumed_seq = ? WHERE run_key = ? AND inbox_id = ?'
const REST = `UPDATE runs SET inbox_since = (SELECT inserted_at FROM run_inbox i WHERE i.run_key = runs.run_key
  AND consumed_seq IS NULL ORDER BY inbox_pos LIMIT 1) WHERE run_key = ?`
const BODIES = `SELECT inbox_pos, body FROM run_inbox
  WHERE run_key = ? AND consumed_seq <= ? AND body_sha256 IS NULL`
const ERASE_BODY = `UPDATE run_inbox SET body = '', body_sha256 = ? WHERE inbox_pos = ?`

export async function insertInbox(
  connection: Connection,
  ref: RunRef,
  insert: InboxInsert,
  clock: Clock,
): Promise<InboxAnswer | { readonly kind: 'no-run' }> {
  requireTenant(ref.tenantId)
  return connection.write(() => notify(connection, ref, insert, clock.now()))
}

/** Within the caller's transaction. */
export function notify(
  connection: Connection,
  ref: RunRef,
  insert: InboxInsert,
  now: number,
): InboxAnswer | { readonly kind: 'no-run' } {
  const run = connection.sql(RUN_KEY).get(ref.tenantId, ref.runId)
  if (run === undefined) return { kind: 'no-run' }
  const runKey = number(run, 'run_key')
  const known = connection.sql(FIND).get(runKey, insert.inboxId)
  if (known !== undefined) return { kind: hasBody(known, insert.body) ? 'duplicate' : 'conflict', row: inboxRow(known) }
  insertRow(connection, runKey, insert, now)
  return { kind: 'inserted' }
}

/** For inbox rows of the store itself, by the run's key. False when the id is taken. */
export function putInboxRow(connection: Connection, runKey: RunKey, insert: InboxInsert, now: number): boolean {
  if (connection.sql(FIND).get(runKey, insert.inboxId) !== undefined) return false
  insertRow(connection, runKey, insert, now)
  return true
}

function insertRow(connection: Connection, runKey: RunKey, insert: InboxInsert, now: number): void {
  connection.sql(INSERT).run(runKey, insert.inboxId, insert.kind, insert.body, now)
  connection.sql(RING).run(now, runKey)
}

function hasBody(known: Columns, body: string): boolean {
  return known['body_sha256'] === null ? known['body'] === body : known['body_sha256'] === hash('sha256', body)
}

function inboxRow(row: Columns): InboxRow {
  return {
    inboxId: text(row, 'inbox_id'),
    kind: text(row, 'kind'),
    body: text(row, 'body'),
    insertedAt: number(row, 'inserted_at'),
    ...(row['consumed_seq'] === null ? {} : { consumedSeq: number(row, 'consumed_seq') }),
  }
}

export async function readInbox(connection: Connection, runKey: RunKey): Promise<readonly InboxRow[]> {
  return connection.read(() => unconsumed(connection, runKey))
}

/** Within the caller's transaction. */
export function unconsumed(connection: Connection, runKey: RunKey): readonly InboxRow[] {
  return connection.sql(UNCONSUMED).all(runKey).map(inboxRow)
}

export async function findInbox(connection: Connection, runKey: RunKey, inboxId: string) {
  const row = await connection.read(() => connection.sql(FIND).get(runKey, inboxId))
  return row === undefined ? undefined : inboxRow(row)
}

/** Why a commit may not consume the rows it names: another commit consumed one, or it never existed. */
export function consumptionRefusal(connection: Connection, one: RunCommit): 'conflict' | 'constraint' | undefined {
  for (const { inboxId } of one.consumed ?? []) {
    const row = one.runKey === undefined ? undefined : connection.sql(FIND).get(one.runKey, inboxId)
    if (row === undefined) return 'constraint'
    if (row['consumed_seq'] !== null) return 'conflict'
  }
  return undefined
}

export function consume(
  connection: Connection,
  runKey: RunKey,
  consumed: readonly { readonly inboxId: string; readonly seq: number }[],
): void {
  for (const { inboxId, seq } of consumed) connection.sql(CONSUME).run(seq, runKey, inboxId)
  if (consumed.length > 0) connection.sql(REST).run(runKey)
}

export function eraseBodies(connection: Connection, runKey: RunKey, upToSeq: number): void {
  for (const row of connection.sql(BODIES).all(runKey, upToSeq))
    connection.sql(ERASE_BODY).run(hash('sha256', text(row, 'body')), number(row, 'inbox_pos'))
}
