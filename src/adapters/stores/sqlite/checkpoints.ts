/** Cached folds of a run, of two kinds (P-51): they may be dropped at any time. */
import type { RunKey, CheckpointKind, StoredCheckpoint } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { number, text } from './run-row.ts'

const PUT = `INSERT INTO run_snapshots (run_key, kind, seq, rules_version, body)
  SELECT run_key, ?, ?, ?, ? FROM runs WHERE run_key = ? AND archived_at IS NULL
    AND (status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR next_seq = ? + 1)
  ON CONFLICT (run_key, kind, seq) DO UPDATE SET rules_version = excluded.rules_version, body = excluded.body`
const GET = `SELECT seq, rules_version, body FROM run_snapshots WHERE run_key = ? AND kind = ? AND seq <= ?
  ORDER BY seq DESC LIMIT 1`
const ERASE = 'DELETE FROM run_snapshots WHERE run_key = ? AND seq <= ?'

export async function putCheckpoint(connection: Connection, runKey: RunKey, snapshot: StoredCheckpoint): Promise<void> {
  const { kind, seq, rulesVersion, body } = snapshot
  await connection.write(() => connection.sql(PUT).run(kind, seq, rulesVersion, body, runKey, seq))
}

export async function getCheckpoint(
  connection: Connection,
  runKey: RunKey,
  kind: CheckpointKind,
  maxSeq: number = Number.MAX_SAFE_INTEGER,
): Promise<StoredCheckpoint | undefined> {
  const row = await connection.read(() => connection.sql(GET).get(runKey, kind, maxSeq))
  if (row === undefined) return undefined
  return { kind, seq: number(row, 'seq'), rulesVersion: number(row, 'rules_version'), body: text(row, 'body') }
}

export function eraseCheckpoints(connection: Connection, runKey: RunKey, upToSeq: number): void {
  connection.sql(ERASE).run(runKey, upToSeq)
}
