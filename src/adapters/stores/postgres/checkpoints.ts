/** Cached folds of a run, of two kinds (P-51): they may be dropped at any time. */
import type { RunKey, CheckpointKind, StoredCheckpoint } from '../../../ports/run-store.ts'
import { number, text } from './run-row.ts'
import type { Session } from './session.ts'

const PUT = `INSERT INTO keelson.run_snapshots (run_key, kind, seq, rules_version, body)
  SELECT run_key, $2, $3::bigint, $4, $5 FROM keelson.runs WHERE run_key = $1 AND archived_at IS NULL
    AND (status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR next_seq = $3::bigint + 1)
  ON CONFLICT (run_key, kind, seq) DO UPDATE SET rules_version = excluded.rules_version, body = excluded.body`
const GET = `SELECT seq, rules_version, body FROM keelson.run_snapshots
  WHERE run_key = $1 AND kind = $2 AND seq <= $3 ORDER BY seq DESC LIMIT 1`

export async function putCheckpoint(session: Session, runKey: RunKey, snapshot: StoredCheckpoint): Promise<void> {
  const { kind, seq, rulesVersion, body } = snapshot
  await session.query(PUT, [runKey, kind, seq, rulesVersion, body])
}

export async function getCheckpoint(
  session: Session,
  runKey: RunKey,
  kind: CheckpointKind,
  maxSeq: number = Number.MAX_SAFE_INTEGER,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await session.query(GET, [runKey, kind, maxSeq])
  if (row === undefined) return undefined
  return { kind, seq: number(row, 'seq'), rulesVersion: number(row, 'rules_version'), body: text(row, 'body') }
}
