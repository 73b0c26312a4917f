/** A page of a log as text, in pieces that a socket takes one after another without being filled by one. */
import type { LogRecord } from '../../core/events/event.ts'

/** Text of some events in one piece, up to and with the event `seq`. */
export interface Lump {
  readonly text: string
  readonly seq: number
}

export interface LumpedPage {
  readonly lumps: readonly Lump[]
  readonly bytes: number
  readonly lastSeq: number
}

const LUMP_BYTES = 16 * 1024

/** Ends with the event that brings it to that many bytes; the rest is for the next page. */
export function lumpedPage(
  records: readonly LogRecord[],
  textOf: (record: LogRecord) => string,
  afterSeq: number,
  pageBytes: number,
): LumpedPage {
  const lumps: Lump[] = []
  let text = ''
  let bytes = 0
  let lumpBytes = 0
  let lastSeq = afterSeq
  for (const record of records) {
    if (bytes >= pageBytes) break
    const one = textOf(record)
    const size = Buffer.byteLength(one)
    text += one
    bytes += size
    lumpBytes += size
    lastSeq = record.runSeq
    if (lumpBytes < LUMP_BYTES) continue
    lumps.push({ text, seq: lastSeq })
    text = ''
    lumpBytes = 0
  }
  if (text !== '') lumps.push({ text, seq: lastSeq })
  return { lumps, bytes, lastSeq }
}
