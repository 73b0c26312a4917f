/** The journal of a run: entries from its log with secrets masked and long values cut, as one object or as lines (API-10, API-12, API-16). */
import * as api from '../../../core/api/execution-log.ts'
import type { JournalPage } from '../../../app/views/journal-page.ts'
import { bind, type Asked, type BoundRoute, type Reply } from '../serve/bound-route.ts'
import { etagOf, isKnown } from '../wire/etag.ts'
import { instantOf } from '../wire/list-filter.ts'

const PAGE = 100

export const JOURNAL: readonly BoundRoute[] = [bind(api.getJournal, journal)]

async function journal({ keelson, params, query, world, header }: Asked<typeof api.getJournal>): Promise<Reply> {
  const { cursor = 0, since, limit = PAGE, format = 'json' } = query
  const run = await keelson.run(params.executionId)
  const sinceMs = since === undefined ? -Infinity : instantOf(since, 'since', world.now())
  const page = await run.journalPage({ cursor, sinceMs, limit })
  return format === 'json' ? { tag: 'weak', body: { executionId: run.runId, ...page } } : asLines(page, header)
}

/** The entries alone: the cursor of the next page is the number of the last. */
function asLines({ entries }: JournalPage, header: Asked['header']): Reply {
  const etag = etagOf(entries, 'weak')
  const headers = { etag, 'cache-control': 'max-age=0, must-revalidate' }
  if (isKnown(header('if-none-match'), etag)) return { status: 304, headers }
  return { headers, text: { type: 'application/x-ndjson', chunks: lines(entries) } }
}

async function* lines(entries: readonly object[]): AsyncGenerator<string, void> {
  for (const entry of entries) yield `${JSON.stringify(entry)}\n`
}
