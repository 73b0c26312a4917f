/** Large values of a run by the hash of their text; keyed by run, so that erasure can drop them (P-34). */
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { text } from './run-row.ts'

const PUT = `INSERT INTO run_blobs (run_key, sha256, text) SELECT run_key, ?, ? FROM runs
  WHERE run_key = ? AND archived_at IS NULL
  ON CONFLICT (run_key, sha256) DO NOTHING`
const GET = 'SELECT text FROM run_blobs WHERE run_key = ? AND sha256 = ?'
const ERASE = 'DELETE FROM run_blobs WHERE run_key = ?'

/** Within the caller's transaction. */
export function putBlob(connection: Connection, runKey: RunKey, sha256: string, body: string): void {
  connection.sql(PUT).run(sha256, body, runKey)
}

export async function getBlob(connection: Connection, runKey: RunKey, sha256: string): Promise<string | undefined> {
  const row = await connection.read(() => connection.sql(GET).get(runKey, sha256))
  return row === undefined ? undefined : text(row, 'text')
}

export function eraseBlobs(connection: Connection, runKey: RunKey): void {
  connection.sql(ERASE).run(runKey)
}
