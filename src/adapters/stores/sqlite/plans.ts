/** Plans by the hash of their bytes: stored once, never changed. */
import type { Connection } from './connect.ts'
import { text } from './run-row.ts'

export interface SqlitePlan {
  readonly sha256: string
  readonly planId: string
  readonly planVersion: string
  readonly text: string
}

const PUT = `INSERT INTO plans (sha256, plan_id, plan_version, text) VALUES (?, ?, ?, ?)
  ON CONFLICT (sha256) DO NOTHING`
const GET = 'SELECT text FROM plans WHERE sha256 = ?'
const NEWEST = 'SELECT sha256, text FROM plans WHERE plan_id = ? ORDER BY plan_pos DESC LIMIT 1'
const NEWEST_OF_VERSION = `SELECT sha256, text FROM plans WHERE plan_id = ? AND plan_version = ?
  ORDER BY plan_pos DESC LIMIT 1`

export async function putPlan(connection: Connection, plan: SqlitePlan): Promise<void> {
  await connection.write(() => connection.sql(PUT).run(plan.sha256, plan.planId, plan.planVersion, plan.text))
}

export async function getPlan(connection: Connection, sha256: string): Promise<string | undefined> {
  const row = await connection.read(() => connection.sql(GET).get(sha256))
  return row === undefined ? undefined : text(row, 'text')
}

export async function findPlan(connection: Connection, planId: string, planVersion: string | undefined) {
  const row = await connection.read(() =>
    planVersion === undefined
      ? connection.sql(NEWEST).get(planId)
      : connection.sql(NEWEST_OF_VERSION).get(planId, planVersion),
  )
  return row === undefined ? undefined : { sha256: text(row, 'sha256'), text: text(row, 'text') }
}
