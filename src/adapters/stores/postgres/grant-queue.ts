/**
 * The queue for grants (docs/adr/0002-grants.md): who waits, who was overtaken how often, and what is offered to whom.
 * The database decides order and offers (`offer_units`), under the locks of the pools. The queue never grants: only a
 * claim does (P-19).
 */
import type { Clock } from '../../../ports/clock.ts'
import type { GrantWait, RunGrants } from '../../../ports/grants.ts'
import { number, text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

/** The test's clock as the first parameter, or else the server's clock. */
export const NOW = 'coalesce($1::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)'
/** The waiting slots of run $2, with the columns of a held slot. */
export const WAITS = `SELECT w.slot, w.attempt, jsonb_object_agg(p.pool, p.amount), false, w.priority, w.since,
    sum(p.bypassed), max(p.offered_until) FILTER (WHERE p.offered_until > ${NOW})
  FROM keelson.grant_waits w JOIN keelson.grant_wait_pools p ON p.place = w.place WHERE w.run_key = $2 GROUP BY w.place`
const SWEEP = 'SELECT keelson.sweep_grants($1) AS offers'

export function claimOf(row: Columns): RunGrants['held'][number] {
  return {
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    wants: row['wants'] as Readonly<Record<string, number>>,
  }
}

export function waitOf(row: Columns): GrantWait {
  return {
    ...claimOf(row),
    priority: number(row, 'priority'),
    since: number(row, 'since'),
    ...(row['offered_until'] === null ? {} : { offeredUntil: number(row, 'offered_until') }),
    bypassed: number(row, 'bypassed'),
  }
}

export async function sweepGrants(session: Session, clock: Clock | undefined): Promise<number> {
  const [row = {}] = await session.query(SWEEP, [clock?.now()])
  return number(row, 'offers')
}
