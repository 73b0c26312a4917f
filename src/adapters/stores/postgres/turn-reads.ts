/**
 * What a run reads at the beginning of its turn: pauses that span runs, and its inbox rows. All runs that advance in
 * one turn of the event loop share one statement, and so one round trip.
 */
import type { InboxRow, RunKey } from '../../../ports/run-store.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import { inboxRow } from './inbox.ts'
import { pauseOf } from './pauses.ts'
import { number } from './run-row.ts'
import { AskedTogether, type Session, type TurnReads } from './session.ts'
import { bigintArray, textArray } from './wire-array.ts'

const READ = `SELECT 1 AS part, pause_pos AS pos, tenant_id, pause_id, scope, reason, active, set_by, set_at, since, NULL::bigint AS run_key,
    NULL::text AS inbox_id, NULL::text AS kind, NULL::text AS body, NULL::bigint AS inserted_at, NULL::bigint AS consumed_seq
  FROM keelson.scope_pauses WHERE active AND cardinality($1::text[]) > 0 AND (tenant_id = '' OR tenant_id = ANY($1::text[]))
  UNION ALL SELECT 2, inbox_pos, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, run_key, inbox_id, kind, body, inserted_at, consumed_seq
  FROM keelson.run_inbox WHERE run_key = ANY($2::bigint[]) AND consumed_seq IS NULL ORDER BY part, pos`

interface Answer {
  readonly pauses: readonly ScopePause[]
  readonly inboxRows: readonly InboxRow[]
}

/** A text is a tenant whose pauses are read, a number a run whose inbox rows are. */
type Key = string | RunKey

export function turnReads(session: Session): TurnReads {
  const reads = new AskedTogether<Key, Answer>(async (keys) => {
    // A connection may be at hand already: whoever else asks at this moment still comes along.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const rows = await session.query(READ, () => {
      const asked = keys()
      const tenants = asked.filter((key) => typeof key === 'string')
      return [textArray(tenants), bigintArray(asked.filter((key) => typeof key === 'number'))]
    })
    const first = rows.findIndex((row) => row['part'] === 2)
    const pauses = (first < 0 ? rows : rows.slice(0, first)).map(pauseOf)
    const byRun = Map.groupBy(first < 0 ? [] : rows.slice(first), (row) => number(row, 'run_key'))
    return (key) => ({
      pauses: pauses.filter(({ tenantId }) => tenantId === undefined || tenantId === key),
      inboxRows: typeof key === 'number' ? (byRun.get(key) ?? []).map(inboxRow) : [],
    })
  })
  return {
    pauses: async (tenantId) => (await reads.of(tenantId)).pauses,
    inboxRows: async (runKey) => (await reads.of(runKey)).inboxRows,
  }
}
