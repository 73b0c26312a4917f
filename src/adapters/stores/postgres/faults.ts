/**
 * Rows that disagree with each other, found by the database itself: rows without a run or of an archived run, leftover
 * tickets, wrong counts, a feed that skipped events it never delivered.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import type { StoreFault } from '../../../ports/evidence.ts'
import { text, type Columns } from './run-row.ts'
import type { Session } from './session.ts'

/** Examples shown for each fault. */
const SHOWN = 5
const WITH_RUN = `SELECT c.table_name FROM information_schema.columns c
  WHERE c.table_schema = 'keelson' AND c.column_name = 'run_key' AND c.table_name NOT IN ('runs', 'feed_subscribers')
  ORDER BY c.table_name`
/** What stays of an archived run beside its row. */
const OUTLASTS: ReadonlySet<string> = new Set(['archive_tickets'])

/** Each returns a fault as `where` and `what`. */
const CHECKS: readonly string[] = [
  `SELECT 'erasure_tickets' AS "where", format('run %s has a ticket to erase up to event %s', run_key, up_to_seq) AS what
    FROM keelson.erasure_tickets`,
  `SELECT 'archive_tickets' AS "where", format('run %s was archived without a ticket for its head', r.run_id) AS what
    FROM keelson.runs r LEFT JOIN keelson.archive_tickets t ON t.run_key = r.run_key
    WHERE r.archived_at IS NOT NULL AND (t.archived IS NOT TRUE OR t.head_hash IS DISTINCT FROM r.head_hash)`,
  `SELECT 'archive_tickets' AS "where", format('run %s has a ticket and was not archived', r.run_id) AS what
    FROM keelson.archive_tickets t JOIN keelson.runs r ON r.run_key = t.run_key WHERE r.archived_at IS NULL`,
  `SELECT 'runs' AS "where", format('run %s has a place of its bundle and was not archived', run_id) AS what
    FROM keelson.runs WHERE archived_at IS NULL AND archived_to IS NOT NULL`,
  `SELECT 'status_counts' AS "where", format('tenant %s has %s runs that are %s, and %s are counted', tenant_id, sum(there),
      status, sum(counted)) AS what FROM (
      SELECT tenant_id, status, runs AS counted, 0 AS there FROM keelson.status_counts
      UNION ALL SELECT tenant_id, status, 0, count(*) FROM keelson.runs GROUP BY tenant_id, status
    ) AS both_sides GROUP BY tenant_id, status HAVING sum(counted) <> sum(there)`,
  `SELECT 'run_labels' AS "where", format('run %s is found by a label of another tenant or another time', r.run_id) AS what
    FROM keelson.run_labels l JOIN keelson.runs r ON r.run_key = l.run_key
    WHERE l.tenant_id <> r.tenant_id OR l.created_at <> r.created_at`,
  `SELECT 'plan_publications' AS "where", format('what is published as %s %s is not the plan of its hash', p.plan_id,
      p.plan_version) AS what
    FROM keelson.plan_publications p WHERE NOT EXISTS (SELECT 1 FROM keelson.plans s WHERE s.tenant_id = p.tenant_id
      AND s.sha256 = p.sha256 AND s.plan_id = p.plan_id AND s.plan_version = p.plan_version)`,
  `SELECT "where", format('%s %s was %s times the first of its version', plan_id, plan_version, first) AS what FROM (
      SELECT 'plans' AS "where", plan_id, plan_version, count(*) FILTER (WHERE NOT replaces) AS first FROM keelson.plans
        GROUP BY tenant_id, plan_id, plan_version
      UNION ALL SELECT 'plan_publications', plan_id, plan_version, count(*) FILTER (WHERE NOT replaces)
        FROM keelson.plan_publications GROUP BY tenant_id, plan_id, plan_version
    ) AS firsts WHERE first <> 1`,
  `SELECT 'runs' AS "where", format('run %s is told of no inbox rows, and has some', r.run_id) AS what
    FROM keelson.runs r WHERE r.inbox_since IS NULL AND EXISTS (SELECT 1 FROM keelson.run_inbox i
      WHERE i.run_key = r.run_key AND i.consumed_seq IS NULL AND NOT i.silent)`,
  `SELECT 'runs' AS "where", format('run %s is told of inbox rows, and has none', r.run_id) AS what
    FROM keelson.runs r WHERE r.inbox_since IS NOT NULL AND NOT EXISTS (SELECT 1 FROM keelson.run_inbox i
      WHERE i.run_key = r.run_key AND i.consumed_seq IS NULL)`,
  `SELECT 'event_waits' AS "where", format('run %s waits for %s, and cannot', r.run_id, w.name) AS what
    FROM keelson.event_waits w JOIN keelson.runs r ON r.run_key = w.run_key
    WHERE w.tenant_id <> r.tenant_id OR r.ended_at IS NOT NULL`,
  `SELECT 'sent_events' AS "where", format('event %s is kept in a form that nobody sent', event_id) AS what
    FROM keelson.sent_events WHERE expires_at <= sent_at
      OR data_sha256 IS NOT NULL AND (data <> 'null' OR length(data_sha256) <> 64)`,
  `SELECT 'feed_cursors' AS "where", format('%s has settled event %s of run %s, which is not there', c.subscriber, c.seq,
      r.run_id) AS what
    FROM keelson.feed_cursors c JOIN keelson.runs r ON r.run_key = c.run_key WHERE c.seq > r.next_seq - 1 OR c.seq < 1`,
  `SELECT 'feed_cursors' AS "where", format('%s was taken past events of run %s', s.subscriber, r.run_id) AS what
    FROM keelson.feed_subscribers s CROSS JOIN keelson.runs r
    WHERE keelson.follows(s.subscriber, r.tenant_id) AND EXISTS (SELECT 1 FROM keelson.events e WHERE e.run_key = r.run_key
        AND (e.generation, e.xid, e.run_key) <= (s.generation, s.xid, s.run_key)
        AND e.seq > coalesce((SELECT c.seq FROM keelson.feed_cursors c
          WHERE c.subscriber = s.subscriber AND c.run_key = r.run_key), 0))
      AND NOT EXISTS (SELECT 1 FROM keelson.feed_behind b WHERE b.subscriber = s.subscriber AND b.run_key = r.run_key)`,
  `SELECT 'feed_dead_letters' AS "where", format('%s gave up event %s of run %s, which it has not come to', d.subscriber,
      d.seq, r.run_id) AS what
    FROM keelson.feed_dead_letters d JOIN keelson.runs r ON r.run_key = d.run_key
    WHERE d.seq < 1 OR d.seq > coalesce((SELECT c.seq FROM keelson.feed_cursors c
        WHERE c.subscriber = d.subscriber AND c.run_key = d.run_key), 0)`,
  `SELECT 'signal_decisions' AS "where", format('signal %s was decided for run %s, which there is not', signal_id, run_id) AS what
    FROM keelson.signal_decisions d
    WHERE NOT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.tenant_id = d.tenant_id AND r.run_id = d.run_id)`,
  `SELECT 'signal_decisions' AS "where", format('the decision about signal %s of run %s is half one', signal_id, run_id) AS what
    FROM keelson.signal_decisions WHERE (payload_sha256 IS NULL) <> (signal_payload <> '')
      OR (approved_by IS NULL) <> (approved_at IS NULL) OR decision = 'PENDING' AND approved_by IS NOT NULL`,
  `SELECT 'audit_log' AS "where", format('tenant %s has %s audit records, numbered %s to %s', tenant_id, count(*), min(position),
      max(position)) AS what
    FROM keelson.audit_log GROUP BY tenant_id HAVING min(position) <> 1 OR max(position) <> count(*)`,
  `SELECT 'audit_heads' AS "where", format('the end of the audit log of tenant %s is not its last record', tenant_id) AS what
    FROM keelson.audit_heads h FULL JOIN (SELECT DISTINCT ON (a.tenant_id) a.tenant_id, a.position, a.hash
      FROM keelson.audit_log a ORDER BY a.tenant_id, a.position DESC) AS l USING (tenant_id)
    WHERE h.position IS DISTINCT FROM l.position OR h.hash IS DISTINCT FROM l.hash`,
]

export async function rowFaults(session: Session): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = []
  for (const row of await session.query(WITH_RUN)) appendAll(faults, await homeless(session, text(row, 'table_name')))
  for (const sql of CHECKS) appendAll(faults, (await session.query(`${sql} LIMIT ${SHOWN}`)).map(faultOf))
  return faults
}

async function homeless(session: Session, table: string): Promise<readonly StoreFault[]> {
  const name = `keelson."${table.replaceAll('"', '""')}"`
  const ofNone = `SELECT DISTINCT $1::text AS "where", format('rows of run key %s, which no run has', t.run_key) AS what
    FROM ${name} t WHERE NOT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.run_key = t.run_key) LIMIT ${SHOWN}`
  const ofArchived = `SELECT DISTINCT $1::text AS "where", format('rows of run %s, which was archived', r.run_id) AS what
    FROM ${name} t JOIN keelson.runs r ON r.run_key = t.run_key WHERE r.archived_at IS NOT NULL LIMIT ${SHOWN}`
  const found = await session.query(ofNone, [table])
  const more = OUTLASTS.has(table) ? [] : await session.query(ofArchived, [table])
  return [...found, ...more].map(faultOf)
}

function faultOf(row: Columns): StoreFault {
  return { kind: 'rows', where: text(row, 'where'), what: text(row, 'what') }
}
