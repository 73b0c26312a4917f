/**
 * Rows that disagree with each other, found by the database itself: rows without a run or of an archived run, leftover
 * tickets, wrong counts, a feed that skipped events it never delivered.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { StoreFault } from '../../../ports/evidence.ts'
import { appendFaults } from './append-faults.ts'
import { LAST_FEED_POS } from './insert-events.ts'
import { text, type Columns } from './run-row.ts'

/** Examples shown for each fault. */
const SHOWN = 5
const WITH_RUN = `SELECT m.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
  WHERE m.type = 'table' AND c.name = 'run_key' AND m.name <> 'runs' ORDER BY m.name`
/** What stays of an archived run beside its row. */
const OUTLASTS: ReadonlySet<string> = new Set(['archive_tickets'])

const SCOPE = `'tenant:' || length(r.tenant_id) || ':' || r.tenant_id || '/'`
/** Does the subscriber of a cursor `c` follow a run `r`? A tenant's subscriber follows only that tenant's runs. */
const FOLLOWS = `(substr(c.subscriber, 1, 7) <> 'tenant:' OR substr(c.subscriber, 1, length(${SCOPE})) = ${SCOPE})`

/** Each returns a fault as `where` and `what`. */
const CHECKS: readonly string[] = [
  `SELECT 'erasure_tickets' AS "where", 'run ' || run_key || ' has a ticket to erase up to event ' || up_to_seq AS what
    FROM erasure_tickets`,
  `SELECT 'feed_floor' AS "where", 'the end of the feed is not there' AS what
    WHERE (SELECT count(*) FROM feed_floor) <> 1 OR (SELECT pos >= 0 FROM feed_floor WHERE one = 1) IS NOT 1`,
  `SELECT 'appends' AS "where", 'run ' || r.run_id || ' has events ' || a.first_seq || ' to ' || a.last_seq
      || ' behind its end' AS what
    FROM runs r JOIN appends a ON a.run_key = r.run_key AND a.last_seq >= r.next_seq`,
  `SELECT 'archive_tickets' AS "where", 'run ' || r.run_id || ' was archived without a ticket for its head' AS what
    FROM runs r LEFT JOIN archive_tickets t ON t.run_key = r.run_key
    WHERE r.archived_at IS NOT NULL AND (t.archived IS NOT 1 OR t.head_hash IS NOT r.head_hash)`,
  `SELECT 'archive_tickets' AS "where", 'run ' || r.run_id || ' has a ticket and was not archived' AS what
    FROM archive_tickets t JOIN runs r ON r.run_key = t.run_key WHERE r.archived_at IS NULL`,
  `SELECT 'runs' AS "where", 'run ' || run_id || ' has a place of its bundle and was not archived' AS what
    FROM runs WHERE archived_at IS NULL AND archived_to IS NOT NULL`,
  `SELECT 'status_counts' AS "where", 'tenant ' || tenant_id || ' has ' || sum(there) || ' runs that are ' || status || ', and '
      || sum(counted) || ' are counted' AS what FROM (
      SELECT tenant_id, status, runs AS counted, 0 AS there FROM status_counts
      UNION ALL SELECT tenant_id, status, 0, count(*) FROM runs GROUP BY tenant_id, status
    ) GROUP BY tenant_id, status HAVING sum(counted) <> sum(there)`,
  `SELECT 'runs' AS "where", 'run ' || r.run_id || ' is told of inbox rows since another time than its oldest' AS what
    FROM runs r WHERE r.inbox_since IS NOT (SELECT inserted_at FROM run_inbox i WHERE i.run_key = r.run_key
      AND i.consumed_seq IS NULL ORDER BY i.inbox_pos LIMIT 1)`,
  `SELECT 'status_counts' AS "where", 'counts ' || status || ' of tenant ' || tenant_id || ', which there is not' AS what
    FROM status_counts c WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.tenant_id = c.tenant_id)
      OR status NOT IN ('PENDING', 'APPROVED', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED')`,
  `SELECT 'run_labels' AS "where", 'run ' || r.run_id || ' is found by a label of another tenant or another time' AS what
    FROM run_labels l JOIN runs r ON r.run_key = l.run_key
    WHERE l.tenant_id IS NOT r.tenant_id OR l.created_at IS NOT r.created_at`,
  `SELECT 'runs' AS "where", 'run ' || run_id || ' has half a parent' AS what FROM runs
    WHERE (parent_run_id IS NULL) <> (parent_slot IS NULL) OR (parent_run_id IS NULL) <> (parent_attempt IS NULL)`,
  `SELECT 'plan_publications' AS "where", 'what is published as ' || p.plan_id || ' ' || p.plan_version
      || ' is not the plan of its hash' AS what
    FROM plan_publications p WHERE NOT EXISTS (SELECT 1 FROM plans s WHERE s.tenant_id = p.tenant_id
      AND s.sha256 = p.sha256 AND s.plan_id = p.plan_id AND s.plan_version = p.plan_version)`,
  `SELECT "where", plan_id || ' ' || plan_version || ' was ' || first || ' times the first of its version' AS what FROM (
      SELECT 'plans' AS "where", plan_id, plan_version, sum(NOT replaces) AS first FROM plans
        GROUP BY tenant_id, plan_id, plan_version
      UNION ALL SELECT 'plan_publications', plan_id, plan_version, sum(NOT replaces) FROM plan_publications
        GROUP BY tenant_id, plan_id, plan_version
    ) WHERE first <> 1`,
  `SELECT 'grant_holds' AS "where", 'a slot of run key ' || h.run_key || ' holds units of ' || h.pool
      || ', which there is not' AS what
    FROM grant_holds h WHERE NOT EXISTS (SELECT 1 FROM pools p WHERE p.pool = h.pool)`,
  `SELECT 'grant_waits' AS "where", 'run ' || r.run_id || ' waits for units of ' || w.pool || ', and cannot' AS what
    FROM grant_waits w JOIN runs r ON r.run_key = w.run_key
    WHERE w.tenant_id <> r.tenant_id OR r.ended_at IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM pools p WHERE p.pool = w.pool)`,
  `SELECT 'event_waits' AS "where", 'run ' || r.run_id || ' waits for ' || w.name || ', and cannot' AS what
    FROM event_waits w JOIN runs r ON r.run_key = w.run_key WHERE w.tenant_id <> r.tenant_id OR r.ended_at IS NOT NULL`,
  `SELECT 'sent_events' AS "where", 'event ' || event_id || ' is kept in a form that nobody sent' AS what
    FROM sent_events WHERE NOT json_valid(data) OR expires_at <= sent_at
      OR data_sha256 IS NOT NULL AND (data <> 'null' OR length(data_sha256) <> 64)`,
  `SELECT 'pool_tenants' AS "where", t.tenant_id || ' had a turn at ' || t.pool || ', and cannot have had' AS what
    FROM pool_tenants t WHERE NOT EXISTS (SELECT 1 FROM pools p WHERE p.pool = t.pool)
      OR NOT EXISTS (SELECT 1 FROM runs r WHERE r.tenant_id = t.tenant_id)`,
  `SELECT 'feed_cursors' AS "where", subscriber || ' has read further than the log goes' AS what
    FROM feed_cursors WHERE feed_pos > ${LAST_FEED_POS}`,
  `SELECT 'feed_positions' AS "where", p.subscriber || ' has settled event ' || p.settled_seq || ' of run ' || r.run_id
      || ', which is not there' AS what
    FROM feed_positions p JOIN runs r ON r.run_key = p.run_key WHERE p.settled_seq > r.next_seq - 1 OR p.settled_seq < 1`,
  `SELECT 'feed_positions' AS "where", c.subscriber || ' was taken past run ' || r.run_id || ' without its events' AS what
    FROM feed_cursors c JOIN appends a ON a.pos <= c.feed_pos
      JOIN runs r ON r.run_key = a.run_key AND r.next_seq = a.last_seq + 1 AND r.archived_at IS NULL
    WHERE coalesce((SELECT settled_seq FROM feed_positions p
        WHERE p.subscriber = c.subscriber AND p.run_key = r.run_key), 0) < r.next_seq - 1 AND ${FOLLOWS}
      AND NOT EXISTS (SELECT 1 FROM feed_backlog b WHERE b.subscriber = c.subscriber AND b.run_key = r.run_key)`,
  `SELECT 'feed_positions' AS "where", p.subscriber || ' has settled events and never read any' AS what
    FROM feed_positions p WHERE NOT EXISTS (SELECT 1 FROM feed_cursors c WHERE c.subscriber = p.subscriber)`,
  `SELECT 'feed_backlog' AS "where", b.subscriber || ' waits for run ' || r.run_id || ', which it has read' AS what
    FROM feed_backlog b JOIN runs r ON r.run_key = b.run_key
    WHERE coalesce((SELECT settled_seq FROM feed_positions p
        WHERE p.subscriber = b.subscriber AND p.run_key = b.run_key), 0) >= r.next_seq - 1
      OR NOT EXISTS (SELECT 1 FROM feed_cursors c WHERE c.subscriber = b.subscriber)`,
  `SELECT 'feed_dead' AS "where", d.subscriber || ' gave up event ' || d.seq || ' of run ' || r.run_id
      || ', which it has not come to' AS what
    FROM feed_dead d JOIN runs r ON r.run_key = d.run_key
    WHERE d.seq < 1 OR d.seq > coalesce((SELECT settled_seq FROM feed_positions p
        WHERE p.subscriber = d.subscriber AND p.run_key = d.run_key), 0)`,
  `SELECT 'signal_decisions' AS "where", 'signal ' || signal_id || ' was decided for run ' || run_id || ', which there is not' AS what
    FROM signal_decisions d WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.tenant_id = d.tenant_id AND r.run_id = d.run_id)`,
  `SELECT 'signal_decisions' AS "where", 'the decision about signal ' || signal_id || ' of run ' || run_id || ' is half one' AS what
    FROM signal_decisions WHERE (payload_sha256 IS NULL) <> (signal_payload <> '')
      OR (approved_by IS NULL) <> (approved_at IS NULL) OR decision = 'PENDING' AND approved_by IS NOT NULL
      OR decision NOT IN ('ACCEPTED', 'REJECTED', 'REVISION_REQUIRED', 'PENDING')
      OR (engine_status IS NULL) <> (engine_processed_at IS NULL)`,
  `SELECT 'audit_log' AS "where", 'tenant ' || tenant_id || ' has ' || count(*) || ' audit records, numbered ' || min(position)
      || ' to ' || max(position) AS what
    FROM audit_log GROUP BY tenant_id HAVING min(position) <> 1 OR max(position) <> count(*)`,
  `SELECT 'api_keys' AS "where", 'key ' || key_id || ' is kept in a form that nobody made' AS what
    FROM api_keys WHERE length(secret_sha256) <> 32 OR NOT json_valid(roles)`,
  `SELECT 'api_requests' AS "where", 'request ' || request_key || ' of ' || route || ' is half answered' AS what
    FROM api_requests WHERE (answer IS NULL) <> (answered_at IS NULL) OR NOT json_valid(coalesce(answer, 'null'))`,
]

export function rowFaults(db: DatabaseSync): readonly StoreFault[] {
  const damage = db
    .prepare(`PRAGMA integrity_check(${SHOWN})`)
    .all()
    .map((row) => text(row, 'integrity_check'))
    .filter((line) => line !== 'ok')
  return [
    ...damage.map((what) => ({ kind: 'rows' as const, where: 'database', what })),
    ...db
      .prepare(WITH_RUN)
      .all()
      .flatMap((row) => homeless(db, text(row, 'name'))),
    ...appendFaults(db, SHOWN),
    ...CHECKS.flatMap((sql) => db.prepare(`${sql} LIMIT ${SHOWN}`).all().map(faultOf)),
  ]
}

function homeless(db: DatabaseSync, table: string): readonly StoreFault[] {
  const ofNone = `SELECT DISTINCT '${table}' AS "where", 'rows of run key ' || t.run_key || ', which no run has' AS what
    FROM ${table} t WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_key = t.run_key) LIMIT ${SHOWN}`
  const ofArchived = `SELECT DISTINCT '${table}' AS "where", 'rows of run ' || r.run_id || ', which was archived' AS what
    FROM ${table} t JOIN runs r ON r.run_key = t.run_key WHERE r.archived_at IS NOT NULL LIMIT ${SHOWN}`
  const queries = OUTLASTS.has(table) ? [ofNone] : [ofNone, ofArchived]
  return queries.flatMap((sql) => db.prepare(sql).all().map(faultOf))
}

function faultOf(row: Columns): StoreFault {
  return { kind: 'rows', where: text(row, 'where'), what: text(row, 'what') }
}
