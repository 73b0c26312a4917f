/** Large values of a run by the hash of their text; keyed by run, so that erasure can drop them (P-34). */
import type { RunKey } from '../../../ports/run-store.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

const PUT = `INSERT INTO keelson.run_blobs (run_key, sha256, text) SELECT run_key, $2, $3 FROM keelson.runs
  WHERE run_key = $1 AND archived_at IS NULL ON CONFLICT (run_key, sha256) DO NOTHING`
const GET = 'SELECT text FROM keelson.run_blobs WHERE run_key = $1 AND sha256 = $2'

export async function putBlob(session: Session, runKey: RunKey, sha256: string, body: string): Promise<void> {
  await session.query(PUT, [runKey, sha256, body])
}

export async function getBlob(session: Session, runKey: RunKey, sha256: string): Promise<string | undefined> {
  const [row] = await session.query(GET, [runKey, sha256])
  return row === undefined ? undefined : text(row, 'text')
}
