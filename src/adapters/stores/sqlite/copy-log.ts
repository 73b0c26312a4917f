/**
 * The log of earlier versions, a row for each event, copied into a row for each append (0019-appends.sql). Events of a run that were
 * stored at one time make one append; runs come in the order of the feed, and followers go on where they were. Row by row, so that a
 * long log needs no more memory than a short one.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { SealedEvent } from '../../../ports/run-store.ts'
import { stepOf, textsOf } from './append-text.ts'
import { bytes, number, text, type Columns } from './run-row.ts'

const EVENTS = `SELECT e.*, r.feed_pos FROM runs r INDEXED BY runs_feed CROSS JOIN events e ON e.run_key = r.run_key
  ORDER BY r.feed_pos, e.seq`
const APPEND = `INSERT INTO appends (run_key, first_seq, last_seq, persisted_at, chain_hashes, data, records)
  VALUES (?, ?, ?, ?, ?, ?, ?)`
const KEY = 'INSERT INTO event_keys (run_key, step, key, seq) VALUES (?, ?, ?, ?)'
/** Events without a run are evidence too. */
const HOMELESS = `SELECT e.*, NULL AS feed_pos FROM events e
  WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_key = e.run_key) ORDER BY e.run_key, e.seq`
const CURSORS = 'SELECT subscriber, feed_pos FROM feed_cursors'
const MOVE_CURSOR = 'UPDATE feed_cursors SET feed_pos = ? WHERE subscriber = ?'

/** An event that is longer alone makes an append of its own. */
const APPEND_LENGTH = 200_000

export function copyLog(db: DatabaseSync): void {
  const [append, key] = [db.prepare(APPEND), db.prepare(KEY)]
  const cursors = db.prepare(CURSORS).all()
  const moved = new Map<Columns, number>(cursors.map((cursor) => [cursor, 0]))
  let held: Columns[] = []
  let length = 0
  const write = (): void => {
    const [first] = held
    if (first === undefined) return
    const events = held.map(sealedOf)
    const { records, data, chainHashes } = textsOf(events)
    const runKey = number(first, 'run_key')
    const [firstSeq, lastSeq] = [number(first, 'seq'), number(first, 'seq') + held.length - 1]
    const at = number(first, 'persisted_at')
    const { lastInsertRowid } = append.run(runKey, firstSeq, lastSeq, at, chainHashes, data, records)
    for (const cursor of cursors)
      if (number(first, 'feed_pos') <= number(cursor, 'feed_pos')) moved.set(cursor, Number(lastInsertRowid))
    for (const { record, idempotencyKey, terminalSlot, runSeq } of events) {
      key.run(runKey, stepOf(record), idempotencyKey, runSeq)
      if (terminalSlot !== undefined) key.run(runKey, stepOf(record), terminalSlot, runSeq)
    }
    held = []
    length = 0
  }
  for (const sql of [HOMELESS, EVENTS])
    for (const row of db.prepare(sql).iterate()) {
      const last = held.at(-1)
      if (length >= APPEND_LENGTH || (last !== undefined && !isNext(last, row))) write()
      held.push(row)
      length += text(row, 'record').length + text(row, 'data').length
    }
  write()
  // Runs up to a follower's old position lie before those after it, as they did.
  for (const [cursor, pos] of moved) db.prepare(MOVE_CURSOR).run(pos, text(cursor, 'subscriber'))
}

function isNext(last: Columns, row: Columns): boolean {
  return (
    last['run_key'] === row['run_key'] &&
    last['persisted_at'] === row['persisted_at'] &&
    number(last, 'seq') + 1 === row['seq']
  )
}

function sealedOf(row: Columns): SealedEvent {
  return {
    runSeq: number(row, 'seq'),
    eventType: text(row, 'event_type'),
    idempotencyKey: bytes(row, 'idempotency_key'),
    record: text(row, 'record'),
    ...(row['data'] === null ? {} : { data: text(row, 'data'), salt: bytes(row, 'salt') }),
    chainHash: bytes(row, 'chain_hash'),
    ...(row['terminal_slot'] === null ? {} : { terminalSlot: text(row, 'terminal_slot') }),
  }
}
