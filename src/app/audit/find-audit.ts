/**
 * Records of an audit log that fit a question, a page at a time, from either end. A question looks at so many records and no more, so that
 * a page may be empty while there are others further on.
 */
import { auditSaid } from '../../core/audit/audit-chain.ts'
import type { AuditHead, AuditLog, AuditRow } from '../../ports/audit-log.ts'

export interface AuditQuestion {
  /** Between these, without them. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly order?: 'oldest' | 'newest' | undefined
  readonly limit: number
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly decision?: string | undefined
  /** Epoch milliseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface AuditFound {
  readonly rows: readonly AuditRow[]
  /** The last record that was looked at: where the next question goes on. */
  readonly next: number
  /** There are records beyond it. */
  readonly more: boolean
  readonly head: AuditHead
}

const CHUNK = 500
/** Records that one question looks at. */
const LOOKED_AT = 5_000

export async function findAudit(log: AuditLog, tenantId: string, asked: AuditQuestion): Promise<AuditFound> {
  const head = await log.auditHead(tenantId)
  const { after = 0, order = 'oldest', limit } = asked
  const before = Math.min(asked.before ?? Infinity, head.position + 1)
  const rows: AuditRow[] = []
  let [low, high] = [after, before]
  for (let looked = 0; looked < LOOKED_AT && rows.length < limit && low + 1 < high;) {
    const size = Math.min(CHUNK, high - low - 1)
    const from = order === 'oldest' ? low : high - 1 - size
    const chunk = (await log.readAudit(tenantId, from, size)).filter(({ position }) => position < high)
    for (const row of order === 'oldest' ? chunk : chunk.toReversed()) {
      if (rows.length === limit) break
      if (order === 'oldest') low = row.position
      else high = row.position
      looked += 1
      if (fits(row, asked)) rows.push(row)
    }
    // Where records are gone, the place goes on all the same.
    if (rows.length < limit && order === 'oldest') low = Math.max(low, from + size)
    if (rows.length < limit && order === 'newest') high = from + 1
    looked += size - chunk.length
  }
  const next = order === 'oldest' ? low : high
  return { rows, next, more: low + 1 < high, head }
}

function fits({ record, at }: AuditRow, { actor, action, target, decision, since, until }: AuditQuestion): boolean {
  if (at < (since ?? -Infinity) || at >= (until ?? Infinity)) return false
  const wanted = Object.entries({ actorId: actor, action, target, decision }).filter(([, value]) => value !== undefined)
  if (wanted.length === 0) return true
  const said = auditSaid(record)
  return wanted.every(([name, value]) => said[name] === value)
}
