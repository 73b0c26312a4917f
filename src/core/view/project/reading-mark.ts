/**
 * How far a reader of a log outside the server has come (UIC-01 … UIC-06). It reads by number and in order. What came beyond a jump is not
 * taken: the copy is stale until what it then reads from its mark on has reached the highest number it saw. STALE is the
 * reader's own word, never a status of the run.
 */
import type { LogRecord } from '../../events/event.ts'
import { scanPage } from './gap.ts'
import { inOrder } from './project-run.ts'

export interface ReadingMark {
  /** The last event that was taken: what to watch for progress. Whether gaps have closed says nothing (UIC-06). */
  readonly lastEventSeq: number
  /** The highest number that was seen. */
  readonly seenUpTo: number
}

export interface Taken {
  readonly mark: ReadingMark
  /** To be folded now, in this order. */
  readonly records: readonly LogRecord[]
}

export const AT_THE_BEGINNING: ReadingMark = { lastEventSeq: 0, seenUpTo: 0 }

export function isStale({ lastEventSeq, seenUpTo }: ReadingMark): boolean {
  return lastEventSeq < seenUpTo
}

/** Of what arrived: what follows the mark without a jump. While the copy is stale nothing is taken but by `takeResync`. */
export function takeArrived(mark: ReadingMark, arrived: readonly LogRecord[]): Taken {
  const { clean, upper } = scanPage(mark.lastEventSeq, arrived)
  const records = isStale(mark) ? [] : clean
  return { mark: marked(mark, records, upper), records }
}

/** What was read from the mark on, after a jump: numbers that are missing in it were never written. */
export function takeResync(mark: ReadingMark, read: readonly LogRecord[]): Taken {
  const records = inOrder(read).filter(({ runSeq }) => runSeq > mark.lastEventSeq)
  return { mark: marked(mark, records, 0), records }
}

function marked(mark: ReadingMark, records: readonly LogRecord[], upper: number): ReadingMark {
  const lastEventSeq = records.at(-1)?.runSeq ?? mark.lastEventSeq
  return { lastEventSeq, seenUpTo: Math.max(mark.seenUpTo, upper, lastEventSeq) }
}
