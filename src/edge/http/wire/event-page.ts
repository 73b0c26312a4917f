/**
 * A page of a log, bounded by its bytes too: outputs may make each event large, and many readers may ask at once. It ends early then, and
 * its watermark says where to go on.
 */
import type { LogRecord } from '../../../core/events/event.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { RunReader } from '../../../library/read/run-reader.ts'

interface EventsAsked {
  readonly after: number
  readonly limit: number
  /** Of a run that was set aside, its sound part can be had. */
  readonly upTo: number | undefined
}

const AT_ONCE = 50

export async function eventPage(
  run: Pick<RunReader, 'page' | 'records'>,
  { after, limit, upTo }: EventsAsked,
): Promise<readonly LogRecord[]> {
  const events: LogRecord[] = []
  let bytes = 0
  for (let at = after; events.length < limit; at += AT_ONCE) {
    const room = Math.min(AT_ONCE, limit - events.length)
    const part = await (upTo === undefined ? run.page(at, room) : run.records(at, Math.min(upTo, at + room)))
    for (const event of part) {
      bytes += Buffer.byteLength(JSON.stringify(event))
      if (events.length > 0 && bytes > LIMITS.eventPageBytes) return events
      events.push(event)
    }
    if (part.length < room) break
  }
  return events
}
