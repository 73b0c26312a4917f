/**
 * The feed (P-50) is the log itself: a subscriber pages appends by their position, passes those that a later one of the same run
 * follows, and reads of each run what comes after the event that it has settled. A run that the cursor passes before it is settled goes into the backlog, so that no event is skipped, in
 * whatever order runs are settled.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import { follows, subscriberTenant } from '../../../core/feed/subscriber.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeadLetter, Delivery, FeedItem, FeedPage, FeedStatus, Subscriber } from '../../../ports/feed.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { LAST_FEED_POS } from './insert-events.ts'
import { eventsAfter } from './read.ts'
import { number, text, type Columns } from './run-row.ts'

const CURSOR = 'SELECT feed_pos FROM feed_cursors WHERE subscriber = ?'
const LAST_FEED = `SELECT ${LAST_FEED_POS} AS feed_pos`
/** The newest append of each run, by position. */
const HEADS = 'appends a CROSS JOIN runs r ON r.run_key = a.run_key AND r.next_seq = a.last_seq + 1'
const SETTLED = '(SELECT settled_seq FROM feed_positions p WHERE p.subscriber = ? AND p.run_key = r.run_key)'
const COLUMNS = `r.run_key, r.tenant_id, r.run_id, coalesce(${SETTLED}, 0) AS settled_seq`
export const BACKLOG_PAGE = `SELECT ${COLUMNS}, b.attempts FROM feed_backlog b JOIN runs r ON r.run_key = b.run_key
  WHERE b.subscriber = ? AND b.retry_at <= ? ORDER BY b.retry_at LIMIT ?`
/** Runs in the backlog are left out: they come when they are due. */
export const FEED_PAGE = `SELECT ${COLUMNS}, a.pos AS feed_pos, 0 AS attempts, EXISTS (SELECT 1 FROM feed_backlog b
    WHERE b.subscriber = ? AND b.run_key = r.run_key) AS in_backlog
  FROM ${HEADS} WHERE a.pos > ? ORDER BY a.pos LIMIT ?`
const MOVE_CURSOR = `INSERT INTO feed_cursors (subscriber, feed_pos) VALUES (?, ?)
  ON CONFLICT (subscriber) DO UPDATE SET feed_pos = excluded.feed_pos`
const SETTLED_SEQ = 'SELECT settled_seq FROM feed_positions WHERE subscriber = ? AND run_key = ?'
const SETTLE = `INSERT INTO feed_positions (subscriber, run_key, settled_seq) VALUES (?, ?, ?)
  ON CONFLICT (subscriber, run_key) DO UPDATE SET settled_seq = excluded.settled_seq`
const HEAD = 'SELECT next_seq, archived_at, tenant_id FROM runs WHERE run_key = ?'
const BLOCK = `INSERT INTO feed_backlog (subscriber, run_key, retry_at, attempts) VALUES (?, ?, ?, 1)
  ON CONFLICT (subscriber, run_key) DO UPDATE SET retry_at = excluded.retry_at, attempts = attempts + 1`
const GO_ON = 'UPDATE feed_backlog SET retry_at = 0, attempts = 0 WHERE subscriber = ? AND run_key = ?'
const UNBLOCK = 'DELETE FROM feed_backlog WHERE subscriber = ? AND run_key = ?'
/** Runs that the cursor passes unsettled; only of the subscriber's tenant where it has one. */
export const PASSED = `INSERT INTO feed_backlog (subscriber, run_key, retry_at, attempts)
  SELECT ?1, r.run_key, 0, 0 FROM ${HEADS}
  WHERE a.pos > ?2 AND a.pos <= ?3 AND r.archived_at IS NULL AND coalesce(?4, r.tenant_id) = r.tenant_id
    AND coalesce((SELECT settled_seq FROM feed_positions p WHERE p.subscriber = ?1 AND p.run_key = r.run_key), 0) < r.next_seq - 1
  ON CONFLICT (subscriber, run_key) DO NOTHING`
const BURY = `INSERT INTO feed_dead (subscriber, run_key, seq, error, dead_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (subscriber, run_key, seq) DO NOTHING`
export const BEHIND = `SELECT (SELECT count(*) FROM feed_backlog WHERE subscriber = ?1) + (SELECT count(*) FROM ${HEADS}
    LEFT JOIN feed_positions p ON p.subscriber = ?1 AND p.run_key = r.run_key
    WHERE a.pos > ?2 AND r.archived_at IS NULL AND coalesce(?3, r.tenant_id) = r.tenant_id
    AND coalesce(p.settled_seq, 0) < r.next_seq - 1
    AND NOT EXISTS (SELECT 1 FROM feed_backlog b WHERE b.subscriber = ?1 AND b.run_key = r.run_key)) AS behind,
  (SELECT count(*) FROM feed_backlog WHERE subscriber = ?1 AND attempts > 0) AS blocked,
  (SELECT count(*) FROM feed_dead WHERE subscriber = ?1) AS dead`
/** A run that the cursor has passed stays in the backlog until it is settled. */
export const BEHIND_ON_RUN = `SELECT c.subscriber, r.tenant_id FROM feed_cursors c JOIN runs r ON r.run_key = ?1
  LEFT JOIN feed_positions p ON p.subscriber = c.subscriber AND p.run_key = r.run_key
  WHERE ((SELECT a.pos FROM appends a WHERE a.run_key = r.run_key ORDER BY a.last_seq DESC LIMIT 1) > c.feed_pos
      AND coalesce(p.settled_seq, 0) < r.next_seq - 1 AND r.archived_at IS NULL)
    OR EXISTS (SELECT 1 FROM feed_backlog b WHERE b.subscriber = c.subscriber AND b.run_key = r.run_key)
  ORDER BY c.subscriber`
const DEAD_LETTERS = `SELECT d.run_key, d.seq, d.error, d.dead_at, d.asked_at, r.tenant_id, r.run_id FROM feed_dead d
  JOIN runs r ON r.run_key = d.run_key WHERE d.subscriber = ?`
export const DEAD = `${DEAD_LETTERS} ORDER BY d.dead_pos LIMIT ?`
const DEAD_ASKED = `${DEAD_LETTERS} AND d.asked_at IS NOT NULL ORDER BY d.dead_pos LIMIT ?`
const ASK = 'UPDATE feed_dead SET asked_at = ? WHERE subscriber = ? AND run_key = ? AND seq = ?'
const SUBSCRIBERS = 'SELECT subscriber, feed_pos FROM feed_cursors ORDER BY subscriber'
const DROP_DEAD = 'DELETE FROM feed_dead WHERE subscriber = ? AND run_key = ? AND seq = ?'
const DROP_SUBSCRIBER = ['feed_cursors', 'feed_positions', 'feed_backlog', 'feed_dead'].map(
  (table) => `DELETE FROM ${table} WHERE subscriber = ?`,
)
const FORGET_RUN = ['feed_positions', 'feed_backlog', 'feed_dead'].map(
  (table) => `DELETE FROM ${table} WHERE run_key = ?`,
)
const ERASE_ERRORS = `UPDATE feed_dead SET error = '' WHERE run_key = ? AND seq <= ?`

/** Appends read with one query; many of their runs may have nothing new. */
const HEADS_AT_ONCE = 200

export async function readFeed(
  connection: Connection,
  subscriber: string,
  page: { readonly now: number; readonly limit: number },
): Promise<FeedPage> {
  return connection.read(() => {
    const items: FeedItem[] = []
    const { now, limit } = page
    for (const run of connection.sql(BACKLOG_PAGE).all(subscriber, subscriber, now, limit)) {
      if (items.length >= limit) break
      appendAll(items, itemsOf(connection, run, limit - items.length))
    }
    return { items, position: String(readNew(connection, subscriber, items, limit)) }
  })
}

/** Returns the position up to which all events are in the page or in the backlog. */
function readNew(connection: Connection, subscriber: string, items: FeedItem[], limit: number): number {
  let position = cursorOf(connection, subscriber)
  while (items.length < limit) {
    const runs = connection.sql(FEED_PAGE).all(subscriber, subscriber, position, HEADS_AT_ONCE)
    for (const run of runs) {
      if (run['in_backlog'] === 0 && follows(subscriber, text(run, 'tenant_id'))) {
        // One more than the page has room for shows whether the whole run is in the page.
        const found = itemsOf(connection, run, limit - items.length + 1)
        const room = limit - items.length
        appendAll(items, found.slice(0, room))
        // Everything before this append is read, or followed by a later one.
        if (found.length > room) return number(run, 'feed_pos') - 1
      }
      position = number(run, 'feed_pos')
    }
    if (runs.length < HEADS_AT_ONCE) break
  }
  return position
}

function itemsOf(connection: Connection, row: Columns, limit: number): FeedItem[] {
  const runKey = number(row, 'run_key')
  const run = { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') }
  return eventsAfter(connection, runKey, number(row, 'settled_seq'), limit).map((event, index) => ({
    runKey,
    run,
    event,
    attempts: index === 0 ? number(row, 'attempts') : 0,
  }))
}

function cursorOf(connection: Connection, subscriber: string): number {
  return number(connection.sql(CURSOR).get(subscriber) ?? {}, 'feed_pos')
}

export async function settleFeed(
  connection: Connection,
  subscriber: string,
  settled: { readonly position: string; readonly deliveries: readonly Delivery[] },
  clock: Clock,
): Promise<void> {
  const byRun = Map.groupBy(settled.deliveries, ({ runKey }) => runKey)
  await connection.write(() => {
    const now = clock.now()
    for (const [runKey, deliveries] of byRun) settleRun(connection, subscriber, runKey, deliveries, now)
    moveCursor(connection, subscriber, settled.position)
  })
}

function settleRun(
  connection: Connection,
  subscriber: string,
  runKey: RunKey,
  deliveries: readonly Delivery[],
  now: number,
): void {
  const head = connection.sql(HEAD).get(runKey)
  if (head === undefined || head['archived_at'] !== null || !follows(subscriber, text(head, 'tenant_id'))) return
  const before = number(connection.sql(SETTLED_SEQ).get(subscriber, runKey) ?? {}, 'settled_seq')
  let seq = before
  let failure: Extract<Delivery, { result: 'failed' }> | undefined
  for (const one of deliveries.toSorted((a, b) => a.runSeq - b.runSeq)) {
    // Settled before, or after a gap: the events in the gap must come first.
    if (one.runSeq !== seq + 1) continue
    if (one.result === 'failed') {
      failure = one
      break
    }
    if (one.result === 'dead') connection.sql(BURY).run(subscriber, runKey, one.runSeq, one.error, now)
    seq = one.runSeq
  }
  if (seq > before) {
    connection.sql(SETTLE).run(subscriber, runKey, seq)
    if (seq === number(head, 'next_seq') - 1) connection.sql(UNBLOCK).run(subscriber, runKey)
    else connection.sql(GO_ON).run(subscriber, runKey)
  }
  if (failure !== undefined) connection.sql(BLOCK).run(subscriber, runKey, failure.retryAt)
}

/** Never back, and never beyond the end: the same subscriber may have settled more elsewhere. */
function moveCursor(connection: Connection, subscriber: string, position: string): void {
  const before = cursorOf(connection, subscriber)
  const last = number(connection.sql(LAST_FEED).get() ?? {}, 'feed_pos')
  const after = Math.min(/^\d{1,16}$/.test(position) ? Number(position) : 0, last)
  if (after <= before) return
  connection.sql(PASSED).run(subscriber, before, after, subscriberTenant(subscriber) ?? null)
  connection.sql(MOVE_CURSOR).run(subscriber, after)
}

export async function feedStatus(connection: Connection, subscriber: string): Promise<FeedStatus> {
  const only = subscriberTenant(subscriber) ?? null
  const row = await connection.read(
    () => connection.sql(BEHIND).get(subscriber, cursorOf(connection, subscriber), only) ?? {},
  )
  return {
    runsBehind: number(row, 'behind'),
    runsBlocked: number(row, 'blocked'),
    deadLetters: number(row, 'dead'),
  }
}

export async function subscribersBehind(connection: Connection, runKey: RunKey): Promise<readonly string[]> {
  const rows = await connection.read(() => connection.sql(BEHIND_ON_RUN).all(runKey))
  const behind = rows.filter((row) => follows(text(row, 'subscriber'), text(row, 'tenant_id')))
  return behind.map((row) => text(row, 'subscriber'))
}

export async function readDeadLetters(
  connection: Connection,
  subscriber: string,
  limit: number,
  asked?: 'asked',
): Promise<readonly DeadLetter[]> {
  const sql = asked === undefined ? DEAD : DEAD_ASKED
  const rows = await connection.read(() => connection.sql(sql).all(subscriber, limit))
  return rows.map((row) => ({
    runKey: number(row, 'run_key'),
    run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
    runSeq: number(row, 'seq'),
    error: text(row, 'error'),
    at: number(row, 'dead_at'),
    ...(row['asked_at'] === null ? {} : { askedAt: number(row, 'asked_at') }),
  }))
}

export async function askRedelivery(
  connection: Connection,
  subscriber: string,
  deadLetter: Pick<DeadLetter, 'runKey' | 'runSeq' | 'askedAt'>,
): Promise<boolean> {
  const { runKey, runSeq, askedAt = null } = deadLetter
  const { changes } = await connection.write(() => connection.sql(ASK).run(askedAt, subscriber, runKey, runSeq))
  return Number(changes) === 1
}

export async function listSubscribers(connection: Connection): Promise<readonly Subscriber[]> {
  const rows = await connection.read(() => connection.sql(SUBSCRIBERS).all())
  return rows.map((row) => ({ subscriber: text(row, 'subscriber'), position: String(number(row, 'feed_pos')) }))
}

export async function dropDeadLetter(
  connection: Connection,
  subscriber: string,
  runKey: RunKey,
  runSeq: number,
): Promise<boolean> {
  const { changes } = await connection.write(() => connection.sql(DROP_DEAD).run(subscriber, runKey, runSeq))
  return Number(changes) === 1
}

export async function dropSubscriber(connection: Connection, subscriber: string): Promise<void> {
  await connection.write(() => {
    for (const table of DROP_SUBSCRIBER) connection.sql(table).run(subscriber)
  })
}

/** An archived run has nothing left to deliver. Within the caller's transaction. */
export function forgetRun(connection: Connection, runKey: RunKey): void {
  for (const table of FORGET_RUN) connection.sql(table).run(runKey)
}

/** The text of a failure may quote the event. Within the caller's transaction. */
export function eraseErrors(connection: Connection, runKey: RunKey, upToSeq: number): void {
  connection.sql(ERASE_ERRORS).run(runKey, upToSeq)
}
