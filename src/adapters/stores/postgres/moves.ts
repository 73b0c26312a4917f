/**
 * Which runs moved: those with events beyond a position of the feed and below the oldest transaction still open. Reading
 * stores nothing.
 */
import type { MovedPage, MovedRun } from '../../../ports/feed.ts'
import type { RunKey, RunStatus } from '../../../ports/run-store.ts'
import { number, text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

/** Behind everything that is visible to followers now; no run has that key. */
const END = `SELECT format('%s.%s.%s', keelson.current_generation(),
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1, 9223372036854775807) AS position`
/**
 * One row at least, which says where the feed ends: a position beyond it is not of this feed. OFFSET 0 keeps the planner from
 * walking through all runs for a few of them.
 */
export const MOVED = `SELECT n.generation AS now_generation, n.bound::text AS bound,
    e.generation, e.xid::text AS xid, e.run_key AS touched, r.run_key, r.tenant_id, r.run_id, r.status, r.next_seq, r.updated_at
  FROM (SELECT keelson.current_generation() AS generation, pg_snapshot_xmin(pg_current_snapshot()) AS bound) n
  LEFT JOIN LATERAL (SELECT e.generation, e.xid, e.run_key FROM keelson.events e
    WHERE (e.generation, e.xid, e.run_key) > ($1::integer, $2::xid8, $3::bigint)
      AND (e.generation < n.generation OR e.xid < n.bound)
    ORDER BY e.generation, e.xid, e.run_key LIMIT $4) e ON true
  LEFT JOIN LATERAL (SELECT * FROM keelson.runs r WHERE r.run_key = e.run_key OFFSET 0) r ON true
  ORDER BY e.generation, e.xid, e.run_key`

export async function readMoves(
  session: Session,
  after: string | undefined,
  limit: number,
): Promise<MovedPage | undefined> {
  if (after === undefined) {
    const [row = {}] = await session.query(END)
    return { runs: [], position: text(row, 'position'), more: false }
  }
  const [, ...place] = /^(\d{1,9})\.(\d{1,19})\.(\d{1,19})$/.exec(after) ?? []
  const [generation = '', xid = '', runKey = ''] = place
  if (place.length !== 3 || BigInt(runKey) > LARGEST) return undefined
  const rows = await session.query(MOVED, [generation, xid, runKey, limit])
  const touches = rows.filter((row) => row['touched'] !== null)
  const last = touches.at(-1)
  if (last === undefined) return isBeyond(rows[0] ?? {}, Number(generation), BigInt(xid)) ? undefined : atEnd(after)
  const position = `${number(last, 'generation')}.${text(last, 'xid')}.${String(last['touched'])}`
  return { runs: runsOf(touches), position, more: touches.length >= limit }
}

const LARGEST = 9_223_372_036_854_775_807n

function atEnd(position: string): MovedPage {
  return { runs: [], position, more: false }
}

function isBeyond(now: Columns, generation: number, xid: bigint): boolean {
  const current = number(now, 'now_generation')
  return generation > current || (generation === current && xid >= BigInt(text(now, 'bound') || '0'))
}

/** Of several touches of a run the last: a later one means a later place in the list. Archived runs have no events left. */
function runsOf(touches: readonly Columns[]): readonly MovedRun[] {
  const runs = new Map<RunKey, MovedRun>()
  for (const row of touches) {
    if (row['run_key'] === null) continue
    const runKey = number(row, 'run_key')
    runs.delete(runKey)
    runs.set(runKey, {
      runKey,
      run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
      status: text(row, 'status') as RunStatus,
      lastEventSeq: number(row, 'next_seq') - 1,
      updatedAt: number(row, 'updated_at'),
    })
  }
  return [...runs.values()]
}
