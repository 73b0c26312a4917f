/**
 * Plans by tenant and by the hash of their bytes: stored once, never changed. A published plan is found by its id. Rows
 * are only added; a unique index lets one of several callers be the first under an id and version.
 */
import type { PlanStore, PutPlan, PutPlanAnswer, StoredPlan } from '../../../ports/plan-store.ts'
import { keptSource, writtenSource } from '../../../core/plan/read/source-text.ts'
import type { PlanSource } from '../../../core/run/input.ts'
import type { Connection } from './connect.ts'
import { text } from './run-row.ts'

const PUT = `INSERT INTO plans (tenant_id, sha256, plan_id, plan_version, text, replaces) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, sha256) DO NOTHING`
const PUBLISH = `INSERT INTO plan_publications (tenant_id, sha256, plan_id, plan_version, replaces, source)
  VALUES (?, ?, ?, ?, ?, ?)`
const GET = 'SELECT text FROM plans WHERE tenant_id = ? AND sha256 = ?'
const OTHER = `SELECT sha256 FROM plans WHERE tenant_id = ? AND plan_id = ? AND plan_version = ?
  ORDER BY plan_pos DESC LIMIT 1`
const NEWEST = `SELECT sha256 FROM plan_publications WHERE tenant_id = ? AND plan_id = ?
  ORDER BY publication_pos DESC LIMIT 1`
const NEWEST_OF_VERSION = `SELECT sha256 FROM plan_publications WHERE tenant_id = ? AND plan_id = ? AND plan_version = ?
  ORDER BY publication_pos DESC LIMIT 1`

const SOURCE = `SELECT source FROM plan_publications WHERE tenant_id = ? AND sha256 = ?
  ORDER BY publication_pos DESC LIMIT 1`

export function plansOf(connection: Connection): Omit<PlanStore, 'listPlans' | 'listPlanVersions'> {
  return {
    putPlan: (plan, how) => putPlan(connection, plan, how),
    getPlan: (tenantId, sha256) => getPlan(connection, tenantId, sha256),
    findPlan: (tenantId, planId, planVersion) => findPlan(connection, tenantId, planId, planVersion),
    findPlanSource: (tenantId, sha256) => findPlanSource(connection, tenantId, sha256),
  }
}

async function putPlan(connection: Connection, plan: StoredPlan, how: PutPlan = {}): Promise<PutPlanAnswer> {
  return connection.write(() => put(connection, plan, how))
}

function put(connection: Connection, plan: StoredPlan, how: PutPlan): PutPlanAnswer {
  const { tenantId, sha256, planId, planVersion } = plan
  const { publish = false, replaceVersion = false, source } = how
  const isHere = connection.sql(GET).get(tenantId, sha256) !== undefined
  const other = isHere ? undefined : connection.sql(OTHER).get(tenantId, planId, planVersion)
  const published = connection.sql(NEWEST_OF_VERSION).get(tenantId, planId, planVersion)
  const isOther = publish && published !== undefined && text(published, 'sha256') !== sha256
  const refused = other ?? (isOther ? published : undefined)
  if (refused !== undefined && !replaceVersion) return { kind: 'version-exists', sha256: text(refused, 'sha256') }
  connection.sql(PUT).run(tenantId, sha256, planId, planVersion, plan.text, other === undefined ? 0 : 1)
  if (publish && (published === undefined || isOther))
    connection.sql(PUBLISH).run(tenantId, sha256, planId, planVersion, isOther ? 1 : 0, writtenSource(source))
  return { kind: 'stored' }
}

async function getPlan(connection: Connection, tenantId: string, sha256: string): Promise<string | undefined> {
  const row = await connection.read(() => connection.sql(GET).get(tenantId, sha256))
  return row === undefined ? undefined : text(row, 'text')
}

async function findPlanSource(
  connection: Connection,
  tenantId: string,
  sha256: string,
): Promise<PlanSource | undefined> {
  const row = await connection.read(() => connection.sql(SOURCE).get(tenantId, sha256))
  return keptSource(row?.['source'])
}

async function findPlan(
  connection: Connection,
  tenantId: string,
  planId: string,
  planVersion: string | undefined,
): Promise<string | undefined> {
  const row = await connection.read(() =>
    planVersion === undefined
      ? connection.sql(NEWEST).get(tenantId, planId)
      : connection.sql(NEWEST_OF_VERSION).get(tenantId, planId, planVersion),
  )
  return row === undefined ? undefined : text(row, 'sha256')
}
