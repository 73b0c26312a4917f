/**
 * What verification reads in addition to the log: every row of a run, and all runs and plans in order. Changes nothing.
 */
import { isTableGone } from '../../../core/schema/missing-table.ts'
import type {
  EvidenceStore,
  InboxEvidence,
  Publication,
  RunSides,
  StoredPlan,
  StoreFault,
} from '../../../ports/evidence.ts'
import type { RunKey, CheckpointKind } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { eventWaitOf } from './events.ts'
import { rowFaults } from './faults.ts'
import { labelsOf } from './labels.ts'
import { number, runRow, text, type Columns } from './run-row.ts'
import { schemaFaults } from './schema.ts'

const CONTEXT = 'SELECT variable, seq, value FROM run_context WHERE run_key = ? ORDER BY seq, variable'
const BLOBS = 'SELECT sha256 FROM run_blobs WHERE run_key = ? ORDER BY sha256'
const SNAPSHOTS = 'SELECT kind, seq, rules_version, body FROM run_snapshots WHERE run_key = ? ORDER BY kind, seq'
const INBOX = 'SELECT * FROM run_inbox WHERE run_key = ? ORDER BY inbox_pos'
const CLAIMS = 'SELECT slot, attempt, claimant FROM step_claims WHERE run_key = ? ORDER BY claim_pos'
const HOLDS = 'SELECT slot, attempt, pool, amount FROM grant_holds WHERE run_key = ? ORDER BY slot, attempt, pool'
const EVENT_WAITS = 'SELECT slot, attempt, name, event_key FROM event_waits WHERE run_key = ? ORDER BY slot, attempt'
const HAS_WAITS = `SELECT 1 FROM sqlite_schema WHERE name = 'event_waits' AND ? IS NOT NULL`
const LABELS = 'SELECT name, value FROM run_labels WHERE run_key = ? ORDER BY name'
const HAS_LABELS = `SELECT 1 FROM sqlite_schema WHERE name = 'run_labels' AND ? IS NOT NULL`
const RUNS = 'SELECT * FROM runs WHERE run_key > ? ORDER BY run_key LIMIT ?'
const PLANS = 'SELECT * FROM plans WHERE plan_pos >= ? ORDER BY plan_pos LIMIT ?'
const PUBLICATIONS = 'SELECT * FROM plan_publications WHERE publication_pos > ? ORDER BY publication_pos LIMIT ?'
const SETTLED = 'SELECT settled_seq FROM feed_positions WHERE run_key = ? AND subscriber = ?'

export function evidenceOf(connection: Connection): EvidenceStore {
  return {
    readSides: (runKey) => readSides(connection, runKey),
    pageRuns: async (afterKey, limit) =>
      (await connection.read(() => connection.sql(RUNS).all(afterKey, limit))).map(runRow),
    pagePlans: (from, limit) => pagePlans(connection, from, limit),
    pagePublications: async (after, limit) =>
      (await connection.read(() => connection.sql(PUBLICATIONS).all(after, limit))).map(publicationOf),
    settledSeq: async (runKey, subscriber) => {
      const row = await connection.read(() => connection.sql(SETTLED).get(runKey, subscriber))
      return row === undefined ? 0 : number(row, 'settled_seq')
    },
    faults: () => connection.read(() => faultsOf(connection)),
  }
}

/** Rows can be read only if every table exists. */
function faultsOf({ db }: Connection): readonly StoreFault[] {
  const schema = schemaFaults(db)
  return schema.some(isTableGone) ? schema : [...schema, ...rowFaults(db)]
}

/** In one turn of the event loop, so that no commit comes between the reads. */
async function readSides(connection: Connection, runKey: RunKey): Promise<RunSides> {
  return connection.read(() => {
    const rows = (sql: string): readonly Columns[] => connection.sql(sql).all(runKey)
    return {
      context: rows(CONTEXT).map((row) => ({
        variable: text(row, 'variable'),
        seq: number(row, 'seq'),
        value: text(row, 'value'),
      })),
      blobs: rows(BLOBS).map((row) => text(row, 'sha256')),
      snapshots: rows(SNAPSHOTS).map((row) => ({
        kind: text(row, 'kind') as CheckpointKind,
        seq: number(row, 'seq'),
        rulesVersion: number(row, 'rules_version'),
        body: text(row, 'body'),
      })),
      inbox: rows(INBOX).map(inboxRowOf),
      claims: rows(CLAIMS).map((row) => ({ ...attemptOf(row), claimant: text(row, 'claimant') })),
      holds: rows(HOLDS).map((row) => ({ ...attemptOf(row), pool: text(row, 'pool'), amount: number(row, 'amount') })),
      // A file of an earlier version that is only read has no such table.
      eventWaits: rows(HAS_WAITS).length === 0 ? [] : rows(EVENT_WAITS).map(eventWaitOf),
      labels: rows(HAS_LABELS).length === 0 ? {} : labelsOf(rows(LABELS)),
    }
  })
}

function publicationOf(row: Columns): Publication {
  const { source } = row
  return {
    position: number(row, 'publication_pos'),
    tenantId: text(row, 'tenant_id'),
    planId: text(row, 'plan_id'),
    planVersion: text(row, 'plan_version'),
    sha256: text(row, 'sha256'),
    ...(typeof source === 'string' ? { source } : {}),
  }
}

function attemptOf(row: Columns): { readonly slot: string; readonly attempt: number } {
  return { slot: text(row, 'slot'), attempt: number(row, 'attempt') }
}

function inboxRowOf(row: Columns): InboxEvidence {
  return {
    inboxId: text(row, 'inbox_id'),
    kind: text(row, 'kind'),
    body: text(row, 'body'),
    insertedAt: number(row, 'inserted_at'),
    ...(row['body_sha256'] === null ? {} : { bodySha256: text(row, 'body_sha256') }),
    ...(row['consumed_seq'] === null ? {} : { consumedSeq: number(row, 'consumed_seq') }),
  }
}

async function pagePlans(
  connection: Connection,
  from: number,
  limit: number,
): Promise<{ readonly plans: readonly StoredPlan[]; readonly next?: number }> {
  const rows = await connection.read(() => connection.sql(PLANS).all(from, limit))
  const plans = rows.map((row) => ({
    sha256: text(row, 'sha256'),
    planId: text(row, 'plan_id'),
    planVersion: text(row, 'plan_version'),
    text: text(row, 'text'),
  }))
  const last = rows.at(-1)
  return last === undefined || rows.length < limit ? { plans } : { plans, next: number(last, 'plan_pos') + 1 }
}
