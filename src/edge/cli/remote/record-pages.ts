/** The log of a run behind a server, page by page, to the end that it has now. */
import type { Client } from '../../../client/connect.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { LIMITS } from '../../../core/limits.ts'

export interface Asked {
  readonly afterSeq?: number
  /** Of a run that was set aside: the last event that can be read. */
  readonly upToSeq?: number
}

export async function* recordPages(
  client: Client,
  executionId: string,
  { afterSeq = 0, upToSeq = Infinity }: Asked = {},
): AsyncGenerator<readonly LogRecord[], void> {
  const limit = LIMITS.fetchPageEvents
  for (let after = afterSeq; after < upToSeq;) {
    const query = { after, limit, ...(upToSeq === Infinity ? {} : { upTo: upToSeq }) }
    const { events, next } = await client.call('listEvents', { params: { executionId }, query })
    if (events.length > 0) yield events as readonly unknown[] as readonly LogRecord[]
    if (events.length < limit) return
    after = next
  }
}
