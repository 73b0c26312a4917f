/** The log of one run as a stream: from an event on, as it is written, to its end. What is not taken is not read. */
import type { RunTail } from '../../../library/read/run-tail.ts'
import type { Seat } from './seats.ts'
import { COMMENT, messageText, OPENING, RECONNECT } from './sse.ts'

export interface RunStream {
  readonly executionId: string
  readonly tail: RunTail
  readonly seat: Seat
  /** The last event that the reader has. */
  readonly after: number
  /** The message for a failure in the middle; the stream ends with it. */
  readonly failed: (thrown: unknown) => string
}

/** Ends with the run, with the reader, or with the server. */
export async function* runStream(stream: RunStream): AsyncGenerator<string, void> {
  const { executionId, tail, seat, failed } = stream
  let seq = stream.after
  try {
    yield OPENING
    while (!seat.isFree && !seat.isStopping) {
      const lumps = await tail.after(seq)
      for (const { text, seq: last } of lumps) {
        if (seat.isFree || seat.isStopping) break
        yield text
        seq = last
      }
      if (lumps.length > 0) continue
      if (tail.end !== undefined && seq >= tail.head) {
        const data = { executionId, status: tail.end, lastEventSeq: seq }
        yield messageText({ id: String(seq), event: 'end', data })
        return
      }
      if (await seat.wait()) {
        tail.lookAgain()
        yield COMMENT
      }
    }
    if (!seat.isFree) yield RECONNECT
  } catch (thrown) {
    yield failed(thrown)
  } finally {
    seat.free()
  }
}
