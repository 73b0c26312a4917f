/**
 * Events from outside and the waits for them (P-54). Whoever sends and whoever opens a wait first lock the row of that name
 * and key, then rows of runs: so each sees the other, neither order loses an event, and nobody waits in a circle.
 */
import { hash } from 'node:crypto'
import { LIMITS } from '../../../core/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { EventWaitRow, NewEvent, SendAnswer } from '../../../ports/events.ts'
import type { RunCommit, RunKey } from '../../../ports/run-store.ts'
import type { Written } from './commit-values.ts'
import { number, text } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const SEND = 'SELECT answer, expires_at, runs FROM keelson.send_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'
const TENANTS = 'SELECT run_key, tenant_id FROM keelson.runs WHERE run_key = ANY ($1::bigint[])'
const LOCK = `SELECT keelson.lock_event_keys($1::jsonb,
  coalesce($2::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint))`
const CHANGE = `SELECT keelson.change_event_waits(c.run_key, c.opened, c.closed, c.at)
  FROM jsonb_to_recordset($1::jsonb) AS c(run_key bigint, opened jsonb, closed jsonb, at bigint)`
const OF_RUN = `SELECT slot, attempt, name, event_key FROM keelson.event_waits WHERE run_key = $1 ORDER BY slot, attempt`
const PURGE = 'SELECT keelson.purge_events($1, $2) AS gone'

export async function sendEvent(session: Session, event: NewEvent, clock: Clock | undefined): Promise<SendAnswer> {
  const { tenantId, eventId, name, key, data, ttlMs } = event
  requireTenant(tenantId)
  const limits = [LIMITS.eventsPerTenant, LIMITS.eventsPerKey]
  const sent = [tenantId, eventId, name, key, data, hash('sha256', data), ttlMs]
  const [row = {}] = await session.query(SEND, [...sent, ...limits, clock?.now()])
  const answer = text(row, 'answer')
  if (answer === 'full-tenant' || answer === 'full-key')
    return { kind: 'full', of: answer === 'full-key' ? 'key' : 'tenant' }
  if (answer === 'conflict') return { kind: 'conflict' }
  const expiresAt = number(row, 'expires_at')
  if (answer === 'duplicate') return { kind: 'duplicate', expiresAt }
  return { kind: 'sent', expiresAt, runs: (row['runs'] as readonly (string | number)[]).map(Number) }
}

/** Before anything of the commit is locked. */
export async function lockEventKeys(
  session: Session,
  turn: readonly RunCommit[],
  now: number | undefined,
): Promise<void> {
  const opening = turn.filter(({ eventWaits }) => (eventWaits?.opened.length ?? 0) > 0)
  if (opening.length === 0) return
  const keys = opening.flatMap(({ runKey }) => (runKey === undefined ? [] : [runKey]))
  const rows = keys.length === 0 ? [] : await session.query(TENANTS, [keys])
  const tenants = new Map(rows.map((row) => [number(row, 'run_key'), text(row, 'tenant_id')]))
  const locked = opening.flatMap(({ create, runKey = 0, eventWaits }) => {
    const tenant = create?.tenantId ?? tenants.get(runKey)
    if (tenant === undefined) return []
    return (eventWaits?.opened ?? []).map(({ name, key }) => ({ tenant_id: tenant, name, event_key: key }))
  })
  await session.query(LOCK, [JSON.stringify(locked), now])
}

/** Within the transaction of the commit, in the order of the batch: one statement for all of it. */
export async function changeEventWaits(session: Session, written: readonly Written[]): Promise<void> {
  const changes = written.flatMap(({ one: { eventWaits }, runKey, at }) =>
    eventWaits === undefined ? [] : [{ run_key: runKey, opened: eventWaits.opened, closed: eventWaits.closed, at }],
  )
  if (changes.length > 0) await session.query(CHANGE, [JSON.stringify(changes)])
}

export async function readEventWaits(session: Session, runKey: RunKey): Promise<readonly EventWaitRow[]> {
  return (await session.query(OF_RUN, [runKey])).map((row) => ({
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    name: text(row, 'name'),
    key: text(row, 'event_key'),
  }))
}

export async function purgeEvents(session: Session, limit: number, clock: Clock | undefined): Promise<number> {
  const [row = {}] = await session.query(PURGE, [limit, clock?.now()])
  return number(row, 'gone')
}
