/**
 * The feed (P-50): a subscriber pages runs by feed_pos and reads each run's events after what it settled of that run. A
 * run the cursor passes before it is settled goes into the backlog, so that nothing is skipped, whoever settles what.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { DeadLetter, Delivery, FeedItem, FeedPage, FeedStatus } from '../../../ports/feed.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { EVENTS, storedEvent } from './read.ts'
import { number, text, type Columns } from './run-row.ts'

const CURSOR = 'SELECT feed_pos FROM feed_cursors WHERE subscriber = ?'
const LAST_FEED = 'SELECT feed_pos FROM runs ORDER BY feed_pos DESC LIMIT 1'
const SETTLED = '(SELECT settled_seq FROM feed_positions p WHERE p.subscriber = ? AND p.run_key = r.run_key)'
const COLUMNS = `r.run_key, r.tenant_id, r.run_id, r.feed_pos, coalesce(${SETTLED}, 0) AS settled_seq`
export const BACKLOG_PAGE = `SELECT ${COLUMNS}, b.attempts FROM feed_backlog b JOIN runs r ON r.run_key = b.run_key
  WHERE b.subscriber = ? AND b.retry_at <= ? ORDER BY b.retry_at LIMIT ?`
/** Runs of the backlog are passed: they come when their time has come. */
export const FEED_PAGE = `SELECT ${COLUMNS}, 0 AS attempts, EXISTS (SELECT 1 FROM feed_backlog b
    WHERE b.subscriber = ? AND b.run_key = r.run_key) AS in_backlog
  FROM runs r WHERE r.feed_pos > ? ORDER BY r.feed_pos LIMIT ?`
const MOVE_CURSOR = `INSERT INTO feed_cursors (subscriber, feed_pos) VALUES (?, ?)
  ON CONFLICT (subscriber) DO UPDATE SET feed_pos = excluded.feed_pos`
const SETTLED_SEQ = 'SELECT settled_seq FROM feed_positions WHERE subscriber = ? AND run_key = ?'
const SETTLE = `INSERT INTO feed_positions (subscriber, run_key, settled_seq) VALUES (?, ?, ?)
  ON CONFLICT (subscriber, run_key) DO UPDATE SET settled_seq = excluded.settled_seq`
const HEAD = 'SELECT next_seq, archived_at FROM runs WHERE run_key = ?'
const BLOCK = `INSERT INTO feed_backlog (subscriber, run_key, retry_at, attempts) VALUES (?, ?, ?, 1)
  ON CONFLICT (subscriber, run_key) DO UPDATE SET retry_at = excluded.retry_at, attempts = attempts + 1`
const GO_ON = 'UPDATE feed_backlog SET retry_at = 0, attempts = 0 WHERE subscriber = ? AND run_key = ?'
const UNBLOCK = 'DELETE FROM feed_backlog WHERE subscriber = ? AND run_key = ?'
/** What the cursor passes and nobody settled. */
export const PASSED = `INSERT INTO feed_backlog (subscriber, run_key, retry_at, attempts)
  SELECT ?, r.run_key, 0, 0 FROM runs r
  WHERE r.feed_pos > ? AND r.feed_pos <= ? AND r.archived_at IS NULL AND coalesce(${SETTLED}, 0) < r.next_seq - 1
  ON CONFLICT (subscriber, run_key) DO NOTHING`
const BURY = `INSERT INTO feed_dead (subscriber, run_key, seq, error, dead_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (subscriber, run_key, seq) DO NOTHING`
export const BEHIND = `SELECT (SELECT count(*) FROM feed_backlog WHERE subscriber = ?1) + (SELECT count(*) FROM runs r
    LEFT JOIN feed_positions p ON p.subscriber = ?1 AND p.run_key = r.run_key
    WHERE r.feed_pos > ?2 AND r.archived_at IS NULL AND coalesce(p.settled_seq, 0) < r.next_seq - 1
    AND NOT EXISTS (SELECT 1 FROM feed_backlog b WHERE b.subscriber = ?1 AND b.run_key = r.run_key)) AS behind,
  (SELECT count(*) FROM feed_backlog WHERE subscriber = ?1 AND attempts > 0) AS blocked,
  (SELECT count(*) FROM feed_dead WHERE subscriber = ?1) AS dead`
/** A run that the cursor has passed is in the backlog as long as it is not settled. */
export const BEHIND_ON_RUN = `SELECT c.subscriber FROM feed_cursors c JOIN runs r ON r.run_key = ?1
  LEFT JOIN feed_positions p ON p.subscriber = c.subscriber AND p.run_key = r.run_key
  WHERE (r.feed_pos > c.feed_pos AND coalesce(p.settled_seq, 0) < r.next_seq - 1 AND r.archived_at IS NULL)
    OR EXISTS (SELECT 1 FROM feed_backlog b WHERE b.subscriber = c.subscriber AND b.run_key = r.run_key)
  ORDER BY c.subscriber`
export const DEAD = `SELECT d.run_key, d.seq, d.error, d.dead_at, r.tenant_id, r.run_id FROM feed_dead d
  JOIN runs r ON r.run_key = d.run_key WHERE d.subscriber = ? ORDER BY d.dead_pos LIMIT ?`
const DROP_DEAD = 'DELETE FROM feed_dead WHERE subscriber = ? AND run_key = ? AND seq = ?'
const DROP_SUBSCRIBER = ['feed_cursors', 'feed_positions', 'feed_backlog', 'feed_dead'].map(
  (table) => `DELETE FROM ${table} WHERE subscriber = ?`,
)
const FORGET_RUN = ['feed_positions', 'feed_backlog', 'feed_dead'].map(
  (table) => `DELETE FROM ${table} WHERE run_key = ?`,
)
const ERASE_ERRORS = `UPDATE feed_dead SET error = '' WHERE run_key = ? AND seq <= ?`

/** Runs looked at with one query; many of them may have nothing new. */
const RUNS_AT_ONCE = 200

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
      items.push(...itemsOf(connection, run, limit - items.length))
    }
    return { items, position: String(readNew(connection, subscriber, items, limit)) }
  })
}

/** Answers the position: that of the last run whose events are all in the page or in the backlog. */
function readNew(connection: Connection, subscriber: string, items: FeedItem[], limit: number): number {
  let position = cursorOf(connection, subscriber)
  while (items.length < limit) {
    const runs = connection.sql(FEED_PAGE).all(subscriber, subscriber, position, RUNS_AT_ONCE)
    for (const run of runs) {
      if (run['in_backlog'] === 0) {
        // One more than there is room for tells whether the run is in the page whole.
        const found = itemsOf(connection, run, limit - items.length + 1)
        const room = limit - items.length
        items.push(...found.slice(0, room))
        if (found.length > room) return position
      }
      position = number(run, 'feed_pos')
    }
    if (runs.length < RUNS_AT_ONCE) break
  }
  return position
}

function itemsOf(connection: Connection, row: Columns, limit: number): FeedItem[] {
  const runKey = number(row, 'run_key')
  const run = { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') }
  return connection
    .sql(EVENTS)
    .all(runKey, number(row, 'settled_seq'), limit)
    .map((event, index) => ({
      runKey,
      run,
      event: storedEvent(event),
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
  if (head === undefined || head['archived_at'] !== null) return
  const before = number(connection.sql(SETTLED_SEQ).get(subscriber, runKey) ?? {}, 'settled_seq')
  let seq = before
  let failure: Extract<Delivery, { result: 'failed' }> | undefined
  for (const one of deliveries.toSorted((a, b) => a.runSeq - b.runSeq)) {
    // Settled before, or after a hole: what lies in the hole must come first.
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

/** Never back, and never beyond what there is: another settling of the same subscriber may have gone further. */
function moveCursor(connection: Connection, subscriber: string, position: string): void {
  const before = cursorOf(connection, subscriber)
  const last = number(connection.sql(LAST_FEED).get() ?? {}, 'feed_pos')
  const after = Math.min(/^\d{1,16}$/.test(position) ? Number(position) : 0, last)
  if (after <= before) return
  connection.sql(PASSED).run(subscriber, before, after, subscriber)
  connection.sql(MOVE_CURSOR).run(subscriber, after)
}

export async function feedStatus(connection: Connection, subscriber: string): Promise<FeedStatus> {
  const row = await connection.read(
    () => connection.sql(BEHIND).get(subscriber, cursorOf(connection, subscriber)) ?? {},
  )
  return {
    runsBehind: number(row, 'behind'),
    runsBlocked: number(row, 'blocked'),
    deadLetters: number(row, 'dead'),
  }
}

export async function subscribersBehind(connection: Connection, runKey: RunKey): Promise<readonly string[]> {
  const rows = await connection.read(() => connection.sql(BEHIND_ON_RUN).all(runKey))
  return rows.map((row) => text(row, 'subscriber'))
}

export async function readDeadLetters(
  connection: Connection,
  subscriber: string,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const rows = await connection.read(() => connection.sql(DEAD).all(subscriber, limit))
  return rows.map((row) => ({
    runKey: number(row, 'run_key'),
    run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
    runSeq: number(row, 'seq'),
    error: text(row, 'error'),
    at: number(row, 'dead_at'),
  }))
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
