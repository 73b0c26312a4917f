/**
 * Appends whose bytes belong to none of their events, and keys that are not those of the events: nothing that a reader of the log
 * would notice, but a key that is missing lets an event come twice.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { StoreFault } from '../../../ports/evidence.ts'
import { eventsOf, stepOf, textsOf } from './append-text.ts'
import { bytes, number, text, type Columns } from './run-row.ts'

const APPENDS = `SELECT a.*, r.run_id FROM appends a LEFT JOIN runs r ON r.run_key = a.run_key ORDER BY a.pos`
const KEY = 'SELECT seq FROM event_keys WHERE run_key = ? AND step = ? AND key = ?'
const KEYS = 'SELECT count(*) AS keys FROM event_keys'

export function appendFaults(db: DatabaseSync, shown: number): readonly StoreFault[] {
  const found: StoreFault[] = []
  const key = db.prepare(KEY)
  let expected = 0
  for (const row of db.prepare(APPENDS).iterate()) {
    const events = eventsOf(row)
    const runKey = number(row, 'run_key')
    const where = { kind: 'rows' as const, where: 'appends' }
    const of = `events ${number(row, 'first_seq')} to ${number(row, 'last_seq')} of run ${text(row, 'run_id')}`
    if (!isExact(row)) found.push({ ...where, what: `the row of ${of} holds what is none of them` })
    for (const { record, runSeq, idempotencyKey, terminalSlot } of events)
      for (const one of [idempotencyKey, ...(terminalSlot === undefined ? [] : [terminalSlot])]) {
        expected += 1
        if (key.get(runKey, stepOf(record), one)?.['seq'] !== runSeq)
          found.push({ ...where, where: 'event_keys', what: `event ${runSeq} of ${of} is not found by its key` })
      }
    if (found.length >= shown) return found.slice(0, shown)
  }
  const keys = number(db.prepare(KEYS).get() ?? {}, 'keys')
  if (found.length === 0 && keys !== expected)
    found.push({ kind: 'rows', where: 'event_keys', what: `there are ${keys} keys, and ${expected} belong to events` })
  return found
}

/** Written again, the events that were read from it make the same row. */
function isExact(row: Columns): boolean {
  const { records, data, chainHashes } = textsOf(eventsOf(row))
  return (
    records === row['records'] && data === row['data'] && Buffer.compare(chainHashes, bytes(row, 'chain_hashes')) === 0
  )
}
