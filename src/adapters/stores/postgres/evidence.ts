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
import { readEventWaits } from './events.ts'
import { rowFaults } from './faults.ts'
import { labelsOf } from './labels.ts'
import { number, runRow, text, type Columns } from './run-row.ts'
import { schemaFaults } from './schema.ts'
import type { Session } from './session.ts'

const CONTEXT = 'SELECT variable, seq, value FROM keelson.run_context WHERE run_key = $1 ORDER BY seq, variable'
const BLOBS = 'SELECT sha256 FROM keelson.run_blobs WHERE run_key = $1 ORDER BY sha256'
const SNAPSHOTS = `SELECT kind, seq, rules_version, body FROM keelson.run_snapshots
  WHERE run_key = $1 ORDER BY kind, seq`
const INBOX = 'SELECT * FROM keelson.run_inbox WHERE run_key = $1 ORDER BY inbox_pos'
const CLAIMS = 'SELECT slot, attempt, claimant FROM keelson.step_claims WHERE run_key = $1 ORDER BY claim_pos'
const HOLDS = 'SELECT slot, attempt, pool, amount FROM keelson.grants WHERE run_key = $1 ORDER BY slot, attempt, pool'
const LABELS = 'SELECT name, value FROM keelson.run_labels WHERE run_key = $1 ORDER BY name'
const RUNS = 'SELECT * FROM keelson.runs WHERE run_key > $1 ORDER BY run_key LIMIT $2'
const PLANS = 'SELECT * FROM keelson.plans WHERE plan_pos >= $1 ORDER BY plan_pos LIMIT $2'
const PUBLICATIONS = `SELECT * FROM keelson.plan_publications WHERE publication_pos > $1
  ORDER BY publication_pos LIMIT $2`
const SETTLED = 'SELECT seq FROM keelson.feed_cursors WHERE run_key = $1 AND subscriber = $2'

export function evidenceOf(session: Session): EvidenceStore {
  return {
    readSides: (runKey) => readSides(session, runKey),
    pageRuns: async (afterKey, limit) => (await session.query(RUNS, [afterKey, limit])).map(runRow),
    pagePlans: (from, limit) => pagePlans(session, from, limit),
    pagePublications: async (after, limit) => (await session.query(PUBLICATIONS, [after, limit])).map(publicationOf),
    settledSeq: async (runKey, subscriber) => {
      const [row] = await session.query(SETTLED, [runKey, subscriber])
      return row === undefined ? 0 : number(row, 'seq')
    },
    faults: () => faultsOf(session),
  }
}

/** Rows can be read only if every table exists. */
async function faultsOf(session: Session): Promise<readonly StoreFault[]> {
  const schema = await schemaFaults(session)
  return schema.some(isTableGone) ? schema : [...schema, ...(await rowFaults(session))]
}

async function readSides(session: Session, runKey: RunKey): Promise<RunSides> {
  const rows = (sql: string): Promise<readonly Columns[]> => session.query(sql, [runKey])
  const [context, blobs, snapshots] = [await rows(CONTEXT), await rows(BLOBS), await rows(SNAPSHOTS)]
  return {
    context: context.map((row) => ({
      variable: text(row, 'variable'),
      seq: number(row, 'seq'),
      value: text(row, 'value'),
    })),
    blobs: blobs.map((row) => text(row, 'sha256')),
    snapshots: snapshots.map((row) => ({
      kind: text(row, 'kind') as CheckpointKind,
      seq: number(row, 'seq'),
      rulesVersion: number(row, 'rules_version'),
      body: text(row, 'body'),
    })),
    inbox: (await rows(INBOX)).map(inboxRowOf),
    claims: (await rows(CLAIMS)).map((row) => ({ ...attemptOf(row), claimant: text(row, 'claimant') })),
    holds: (await rows(HOLDS)).map((row) => ({
      ...attemptOf(row),
      pool: text(row, 'pool'),
      amount: number(row, 'amount'),
    })),
    eventWaits: await readEventWaits(session, runKey),
    labels: labelsOf(await rows(LABELS)),
  }
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
  session: Session,
  from: number,
  limit: number,
): Promise<{ readonly plans: readonly StoredPlan[]; readonly next?: number }> {
  const rows = await session.query(PLANS, [from, limit])
  const plans = rows.map((row) => ({
    sha256: text(row, 'sha256'),
    planId: text(row, 'plan_id'),
    planVersion: text(row, 'plan_version'),
    text: text(row, 'text'),
  }))
  const last = rows.at(-1)
  return last === undefined || rows.length < limit ? { plans } : { plans, next: number(last, 'plan_pos') + 1 }
}
