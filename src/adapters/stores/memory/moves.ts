/** Which runs moved: those whose newest append lies beyond a position of the feed. Reading stores nothing. */
import type { MovedPage } from '../../../ports/feed.ts'
import type { MemoryDisk } from './connect.ts'

export function readMoves(disk: MemoryDisk, after: string | undefined, limit: number): MovedPage | undefined {
  const end = disk.feedPos
  if (after === undefined) return { runs: [], position: String(end), more: false }
  const from = /^\d{1,15}$/.test(after) ? Number(after) : Infinity
  if (from > end) return undefined
  const to = Math.min(end, from + limit)
  const moved = disk.runs.filter(({ row, feedPos }) => feedPos > from && feedPos <= to && row.archivedAt === undefined)
  const runs = moved
    .sort((a, b) => a.feedPos - b.feedPos)
    .map(({ row }) => ({
      runKey: row.runKey,
      run: { tenantId: row.tenantId, runId: row.runId },
      status: row.status,
      lastEventSeq: row.nextSeq - 1,
      updatedAt: row.updatedAt,
    }))
  return { runs, position: String(to), more: to < end }
}
