/** Plans by the hash of their bytes: stored once, never changed. */
import { text } from './run-row.ts'
import type { Session } from './session.ts'

export interface PostgresPlan {
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

const PUT = `INSERT INTO keelson.plans (sha256, plan_id, plan_version, text) VALUES ($1, $2, $3, $4)
  ON CONFLICT (sha256) DO NOTHING`
const GET = 'SELECT text FROM keelson.plans WHERE sha256 = $1'
const NEWEST = `SELECT sha256, text FROM keelson.plans WHERE plan_id = $1 AND ($2::text IS NULL OR plan_version = $2)
  ORDER BY plan_pos DESC LIMIT 1`

export async function putPlan(session: Session, plan: PostgresPlan): Promise<void> {
  await session.query(PUT, [plan.sha256, plan.planId, plan.planVersion, plan.text])
}

export async function getPlan(session: Session, sha256: string): Promise<string | undefined> {
  const [row] = await session.query(GET, [sha256])
  return row === undefined ? undefined : text(row, 'text')
}

export async function findPlan(session: Session, planId: string, planVersion: string | undefined) {
  const [row] = await session.query(NEWEST, [planId, planVersion])
  return row === undefined ? undefined : { sha256: text(row, 'sha256'), text: text(row, 'text') }
}
