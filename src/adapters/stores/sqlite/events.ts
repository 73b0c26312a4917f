/**
 * Events from outside and the waits for them (P-54). Sending looks for waits, opening a wait looks for kept events; each is
 * one transaction, so neither order loses an event.
 */
import { hash } from 'node:crypto'
import { noticeId, noticeText } from '../../../core/events/event-notice.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { EventWaitChanges, EventWaitRow, NewEvent, SendAnswer } from '../../../ports/events.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { putInboxRow } from './inbox.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const KNOWN = 'SELECT * FROM sent_events WHERE tenant_id = ? AND event_id = ?'
const KEPT = 'SELECT count(*) AS kept FROM sent_events WHERE tenant_id = ? AND expires_at > ?'
const KEPT_OF_KEY = `SELECT count(*) AS kept FROM sent_events
  WHERE tenant_id = ? AND name = ? AND event_key = ? AND expires_at > ?`
const FORGET = 'DELETE FROM sent_events WHERE event_pos = ?'
const SEND = `INSERT INTO sent_events (tenant_id, event_id, name, event_key, data, sent_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`
/** A wait of a run that is another tenant's was not written by us: it is passed over. */
const WAITING = `SELECT w.* FROM event_waits w JOIN runs r ON r.run_key = w.run_key AND r.tenant_id = w.tenant_id
  WHERE w.tenant_id = ? AND w.name = ? AND w.event_key = ? AND r.archived_at IS NULL
  ORDER BY w.run_key, w.slot, w.attempt`
const OPEN = `INSERT INTO event_waits (run_key, slot, attempt, tenant_id, name, event_key) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_key, slot, attempt) DO UPDATE SET name = excluded.name, event_key = excluded.event_key`
const KEPT_FOR = `SELECT * FROM sent_events WHERE tenant_id = ? AND name = ? AND event_key = ? AND expires_at > ?
  AND data_sha256 IS NULL ORDER BY event_pos`
const CLOSE = 'DELETE FROM event_waits WHERE run_key = ? AND slot = ? AND attempt = ?'
const CLOSE_ALL = 'DELETE FROM event_waits WHERE run_key = ?'
const OF_RUN = 'SELECT slot, attempt, name, event_key FROM event_waits WHERE run_key = ? ORDER BY slot, attempt'
const PURGE = `DELETE FROM sent_events WHERE event_pos IN
  (SELECT event_pos FROM sent_events WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
const TOLD = `SELECT s.event_pos, s.data FROM run_inbox i JOIN runs r ON r.run_key = i.run_key
  JOIN sent_events s ON s.tenant_id = r.tenant_id AND s.event_id = iif(json_valid(i.body), i.body, '{}') ->> '$.eventId'
  WHERE i.run_key = ? AND i.consumed_seq <= ? AND i.kind = 'event' AND i.body <> '' AND s.data_sha256 IS NULL`
const ERASE = `UPDATE sent_events SET data = 'null', data_sha256 = ? WHERE event_pos = ?`

export async function sendEvent(connection: Connection, event: NewEvent, clock: Clock): Promise<SendAnswer> {
  requireTenant(event.tenantId)
  return connection.write(() => send(connection, event, clock.now()))
}

function send(connection: Connection, event: NewEvent, now: number): SendAnswer {
  const { tenantId, eventId, name, key, data, ttlMs } = event
  const known = connection.sql(KNOWN).get(tenantId, eventId)
  if (known !== undefined && number(known, 'expires_at') > now) {
    if (!isSame(known, event)) return { kind: 'conflict' }
    return { kind: 'duplicate', expiresAt: number(known, 'expires_at') }
  }
  const kept = (query: string, ...values: readonly (string | number)[]): number =>
    number(connection.sql(query).get(...values) ?? {}, 'kept')
  if (kept(KEPT, tenantId, now) >= LIMITS.eventsPerTenant) return { kind: 'full', of: 'tenant' }
  if (kept(KEPT_OF_KEY, tenantId, name, key, now) >= LIMITS.eventsPerKey) return { kind: 'full', of: 'key' }
  if (known !== undefined) connection.sql(FORGET).run(number(known, 'event_pos'))
  connection.sql(SEND).run(tenantId, eventId, name, key, data, now, now + ttlMs)
  const waits = connection.sql(WAITING).all(tenantId, name, key)
  for (const wait of waits) tell(connection, number(wait, 'run_key'), eventWaitOf(wait), { ...event, sentAt: now }, now)
  const runs = new Set(waits.map((wait) => number(wait, 'run_key')))
  return { kind: 'sent', expiresAt: now + ttlMs, runs: [...runs] }
}

type Told = Pick<NewEvent, 'eventId' | 'name' | 'key' | 'data'> & { readonly sentAt: number }

function tell(
  connection: Connection,
  runKey: RunKey,
  { slot, attempt }: EventWaitRow,
  { eventId, name, key, data, sentAt }: Told,
  now: number,
): void {
  const notice = { eventId, name, key, data, sentAt, slot, attempt }
  putInboxRow(connection, runKey, { inboxId: noticeId(notice), kind: 'event', body: noticeText(notice) }, now)
}

function isSame(known: Columns, { name, key, data }: NewEvent): boolean {
  const sameData =
    known['data_sha256'] === null ? known['data'] === data : known['data_sha256'] === hash('sha256', data)
  return known['name'] === name && known['event_key'] === key && sameData
}

export function eventWaitOf(row: Columns): EventWaitRow {
  return {
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    name: text(row, 'name'),
    key: text(row, 'event_key'),
  }
}

/** Within a commit. */
export function changeEventWaits(
  connection: Connection,
  { runKey, tenantId }: { readonly runKey: RunKey; readonly tenantId: string },
  { opened, closed }: EventWaitChanges,
  now: number,
): void {
  if (closed === 'all') connection.sql(CLOSE_ALL).run(runKey)
  else for (const { slot, attempt } of closed) connection.sql(CLOSE).run(runKey, slot, attempt)
  for (const wait of opened) {
    const { slot, attempt, name, key } = wait
    connection.sql(OPEN).run(runKey, slot, attempt, tenantId, name, key)
    for (const event of connection.sql(KEPT_FOR).all(tenantId, name, key, now)) {
      const eventId = text(event, 'event_id')
      const told = { eventId, name, key, data: text(event, 'data'), sentAt: number(event, 'sent_at') }
      tell(connection, runKey, wait, told, now)
    }
  }
}

export async function readEventWaits(connection: Connection, runKey: RunKey): Promise<readonly EventWaitRow[]> {
  return connection.read(() => connection.sql(OF_RUN).all(runKey).map(eventWaitOf))
}

export async function purgeEvents(connection: Connection, limit: number, clock: Clock): Promise<number> {
  return connection.write(() => Number(connection.sql(PURGE).run(clock.now(), limit).changes))
}

/** Erasure of a run: the events that it was told of keep only what recognises a repeat. Before the inbox is erased. */
export function eraseEvents(connection: Connection, runKey: RunKey, upToSeq: number): void {
  for (const row of connection.sql(TOLD).all(runKey, upToSeq))
    connection.sql(ERASE).run(hash('sha256', text(row, 'data')), number(row, 'event_pos'))
}
