/**
 * The feed: the log is the outbox. It delivers events below the oldest transaction still open, and of each run
 * everything after its own cursor; reading settles nothing. A transaction elsewhere that delays the feed is named by
 * its process.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeadLetter, Delivery, FeedItem, FeedPage, FeedStatus, Subscriber } from '../../../ports/feed.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import { storedEvent } from './read.ts'
import { number, text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

const READ = `SELECT f.attempts, f.feed_position, f.is_foreign, e.*, r.tenant_id, r.run_id
  FROM keelson.read_feed($1, $2, $3) WITH ORDINALITY AS f(run_key, seq, attempts, feed_position, is_foreign, pos)
  LEFT JOIN keelson.events e ON e.run_key = f.run_key AND e.seq = f.seq
  LEFT JOIN keelson.runs r ON r.run_key = f.run_key ORDER BY f.pos`
const RAISE = 'SELECT keelson.raise_generation()'
const SETTLE = 'SELECT keelson.settle_feed($1, $2, $3::xid8, $4, $5::jsonb, $6)'
const STATUS = 'SELECT * FROM keelson.feed_status($1)'
const BEHIND_ON_RUN = `SELECT s.subscriber FROM keelson.feed_subscribers s
  WHERE keelson.follows_run(s.subscriber, $1) AND (
    EXISTS (SELECT 1 FROM keelson.feed_behind b WHERE b.subscriber = s.subscriber AND b.run_key = $1)
    OR EXISTS (SELECT 1 FROM keelson.events e
      LEFT JOIN keelson.feed_cursors c ON c.subscriber = s.subscriber AND c.run_key = e.run_key
      WHERE e.run_key = $1 AND (e.generation, e.xid, e.run_key) > (s.generation, s.xid, s.run_key)
        AND e.seq > coalesce(c.seq, 0)))
  ORDER BY s.subscriber COLLATE "C"`
const DEAD_LETTERS = `SELECT d.run_key, d.seq, d.error, d.at, d.asked_at, r.tenant_id, r.run_id
  FROM keelson.feed_dead_letters d JOIN keelson.runs r ON r.run_key = d.run_key WHERE d.subscriber = $1`
const DEAD = `${DEAD_LETTERS} ORDER BY d.dead_pos LIMIT $2`
const DEAD_ASKED = `${DEAD_LETTERS} AND d.asked_at IS NOT NULL ORDER BY d.dead_pos LIMIT $2`
const ASK = `UPDATE keelson.feed_dead_letters SET asked_at = $4 WHERE subscriber = $1 AND run_key = $2 AND seq = $3
  RETURNING dead_pos`
const SUBSCRIBERS = `SELECT subscriber, concat_ws('.', generation, xid, run_key) AS feed_position
  FROM keelson.feed_subscribers ORDER BY subscriber COLLATE "C"`
const DROP = `DELETE FROM keelson.feed_dead_letters WHERE subscriber = $1 AND run_key = $2 AND seq = $3
  RETURNING dead_pos`
const FORGET = `WITH subscribers AS (DELETE FROM keelson.feed_subscribers WHERE subscriber = $1),
  cursors AS (DELETE FROM keelson.feed_cursors WHERE subscriber = $1),
  behind AS (DELETE FROM keelson.feed_behind WHERE subscriber = $1)
  DELETE FROM keelson.feed_dead_letters WHERE subscriber = $1`

/** After a dump and restore the transaction numbers start again; then a new generation starts, once. */
export async function raiseGeneration(session: Session): Promise<void> {
  await session.query(RAISE)
}

export async function readFeed(
  session: Session,
  subscriber: string,
  page: { readonly now: number; readonly limit: number },
): Promise<FeedPage> {
  const read = () => session.query(READ, [subscriber, page.now, page.limit])
  let rows = await read()
  if (rows.at(-1)?.['is_foreign'] === true) {
    // The database under an open store was replaced by its copy in another cluster.
    await raiseGeneration(session)
    rows = await read()
  }
  return { items: rows.slice(0, -1).map(itemOf), position: text(rows.at(-1) ?? {}, 'feed_position') }
}

function itemOf(row: Columns): FeedItem {
  return {
    runKey: number(row, 'run_key'),
    run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
    event: storedEvent(row),
    attempts: number(row, 'attempts'),
  }
}

export async function settleFeed(
  session: Session,
  subscriber: string,
  settled: { readonly position: string; readonly deliveries: readonly Delivery[] },
  clock: Clock | undefined,
): Promise<void> {
  const [, ...place] = /^(\d{1,9})\.(\d{1,20})\.(\d{1,19})$/.exec(settled.position) ?? []
  if (place.length !== 3) fail('LIST_CURSOR_INVALID', 'The position does not come from this feed.')
  const deliveries = settled.deliveries.map((one) => ({
    run_key: one.runKey,
    seq: one.runSeq,
    result: one.result,
    ...(one.result === 'delivered' ? {} : { error: one.error }),
    ...(one.result === 'failed' ? { retry_at: one.retryAt } : {}),
  }))
  await session.query(SETTLE, [subscriber, ...place, JSON.stringify(deliveries), clock?.now()])
}

export async function feedStatus(session: Session, subscriber: string, stallMs: number): Promise<FeedStatus> {
  const [row = {}] = await session.query(STATUS, [subscriber])
  const isStalled = row['stalled_by'] !== null && number(row, 'stalled_ms') >= stallMs
  return {
    runsBehind: number(row, 'runs_behind'),
    runsBlocked: number(row, 'runs_blocked'),
    deadLetters: number(row, 'dead_letters'),
    ...(isStalled ? { stalledBy: { pid: number(row, 'stalled_by'), sinceMs: number(row, 'stalled_ms') } } : {}),
  }
}

export async function subscribersBehind(session: Session, runKey: RunKey): Promise<readonly string[]> {
  return (await session.query(BEHIND_ON_RUN, [runKey])).map((row) => text(row, 'subscriber'))
}

export async function readDeadLetters(
  session: Session,
  subscriber: string,
  limit: number,
  asked?: 'asked',
): Promise<readonly DeadLetter[]> {
  const rows = await session.query(asked === undefined ? DEAD : DEAD_ASKED, [subscriber, limit])
  return rows.map((row) => ({
    runKey: number(row, 'run_key'),
    run: { tenantId: text(row, 'tenant_id'), runId: text(row, 'run_id') },
    runSeq: number(row, 'seq'),
    error: text(row, 'error'),
    at: number(row, 'at'),
    ...(row['asked_at'] === null ? {} : { askedAt: number(row, 'asked_at') }),
  }))
}

export async function askRedelivery(
  session: Session,
  subscriber: string,
  { runKey, runSeq, askedAt }: Pick<DeadLetter, 'runKey' | 'runSeq' | 'askedAt'>,
): Promise<boolean> {
  return (await session.query(ASK, [subscriber, runKey, runSeq, askedAt])).length === 1
}

export async function listSubscribers(session: Session): Promise<readonly Subscriber[]> {
  const rows = await session.query(SUBSCRIBERS)
  return rows.map((row) => ({ subscriber: text(row, 'subscriber'), position: text(row, 'feed_position') }))
}

export async function dropDeadLetter(
  session: Session,
  subscriber: string,
  runKey: RunKey,
  runSeq: number,
): Promise<boolean> {
  return (await session.query(DROP, [subscriber, runKey, runSeq])).length === 1
}

export async function dropSubscriber(session: Session, subscriber: string): Promise<void> {
  await session.query(FORGET, [subscriber])
}
