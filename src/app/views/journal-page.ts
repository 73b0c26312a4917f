/**
 * The journal of a run, page by page. All of it has at most 10,485,760 bytes: where more would come, one marker stands for the rest,
 * with the hash of the last event, which covers every event before it. The run itself goes on (API-16, API-17).
 */
import { LIMITS } from '../../core/limits.ts'
import { unwrap } from '../../core/result.ts'
import type { RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'
import { hexOf } from '../log/sha256.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import { bytesOf, journalEntry, type JournalEntry } from './journal-entry.ts'

export interface JournalAsked {
  /** The last entry that the reader has. */
  readonly cursor: number
  readonly sinceMs: number
  readonly limit: number
}

export interface JournalPage {
  readonly entries: readonly JournalEntry[]
  /** The cursor of the next page, where there is one. */
  readonly next?: number
  /** The journal ends here though the log does not. */
  readonly truncated?: true
}

type Log = Pick<RunStore, 'readEvents'>
type Row = Pick<RunRow, 'runKey' | 'nextSeq' | 'headHash'>

/** Kept free for the marker. */
const MARKER_BYTES = 512
const MOST_BYTES = LIMITS.journalBytes - MARKER_BYTES
/** With its line end, as lines of JSON. */
const MOST_OF_ENTRY = LIMITS.journalEntryBytes + 1

interface Measured {
  readonly seq: number
  readonly bytes: number
}
/** How many bytes the journal has up to an entry: a reader that turns pages does not have them all counted again. */
const MEASURED = new WeakMap<Log, BoundedCache<RunKey, Measured>>()
const MEASURED_RUNS = 1_000

export async function journalPage(store: Log, row: Row, asked: JournalAsked): Promise<JournalPage> {
  const { cursor, sinceMs, limit } = asked
  const entries: JournalEntry[] = []
  let { seq, bytes } = startOf(store, row, cursor)
  for (;;) {
    const needed = seq >= cursor && sinceMs === -Infinity ? limit - entries.length : LIMITS.fetchPageEvents
    const page = await store.readEvents(row.runKey, { afterSeq: seq, limit: needed })
    if (page.length === 0) return { entries }
    for (const stored of page) {
      const entry = journalEntry(unwrap(envelopeOf(stored)))
      bytes += bytesOf(entry) + 1
      if (bytes > MOST_BYTES) return cutAt(stored.runSeq, row, entries, cursor)
      seq = stored.runSeq
      if (seq <= cursor || stored.persistedAt < sinceMs) continue
      entries.push(entry)
      if (entries.length < limit) continue
      measured(store).set(row.runKey, { seq, bytes })
      return seq < row.nextSeq - 1 ? { entries, next: seq } : { entries }
    }
  }
}

function startOf(store: Log, row: Row, cursor: number): Measured {
  // So few entries fit in any case: nothing is counted.
  if ((row.nextSeq - 1) * MOST_OF_ENTRY <= MOST_BYTES) return { seq: cursor, bytes: 0 }
  const known = measured(store).get(row.runKey)
  return known !== undefined && known.seq <= cursor ? known : { seq: 0, bytes: 0 }
}

function measured(store: Log): BoundedCache<RunKey, Measured> {
  const known = MEASURED.get(store) ?? new BoundedCache<RunKey, Measured>(MEASURED_RUNS)
  MEASURED.set(store, known)
  return known
}

/** The marker has the number of the first entry that is left out. */
function cutAt(seq: number, row: Row, entries: readonly JournalEntry[], cursor: number): JournalPage {
  if (seq <= cursor) return { entries, truncated: true }
  const leftOut = Math.max(1, row.nextSeq - seq)
  const truncated = { leftOut, mostBytes: LIMITS.journalBytes, sha256: hexOf(row.headHash) }
  return { entries: [...entries, { seq, eventType: 'JournalTruncated', truncated }], truncated: true }
}
