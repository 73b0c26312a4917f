/** Which runs moved: the newest append of each run beyond a position of the feed. Reading stores nothing. */
import type { MovedPage } from '../../../ports/feed.ts'
import type { RunStatus } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { LAST_FEED_POS } from './insert-events.ts'
import { number, text } from './run-row.ts'

const END = `SELECT ${LAST_FEED_POS} AS pos`
/** By position, and only up to one: a run with very many appends does not make the page long to read. */
export const MOVED = `SELECT r.run_key, r.tenant_id, r.run_id, r.status, r.next_seq, r.updated_at
  FROM appends a CROSS JOIN runs r ON r.run_key = a.run_key AND r.next_seq = a.last_seq + 1
  WHERE a.pos > ? AND a.pos <= ? ORDER BY a.pos`

export async function readMoves(
  connection: Connection,
  after: string | undefined,
  limit: number,
): Promise<MovedPage | undefined> {
  return connection.read(() => {
    const end = number(connection.sql(END).get() ?? {}, 'pos')
    if (after === undefined) return { runs: [], position: String(end), more: false }
    const from = /^\d{1,15}$/.test(after) ? Number(after) : Infinity
    if (from > end) return undefined
    const to = Math.min(end, from + limit)
    const rows = from === end ? [] : connection.sql(MOVED).all(from, to)
    const runs = rows.map((row) => ({
      runKey: number(row, 'run_key'),
      run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
      status: text(row, 'status') as RunStatus,
      lastEventSeq: number(row, 'next_seq') - 1,
      updatedAt: number(row, 'updated_at'),
    }))
    return { runs, position: String(to), more: to < end }
  })
}
