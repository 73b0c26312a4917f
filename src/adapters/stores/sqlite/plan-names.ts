/** Published plans by name, for lists: of each name the newest publication. */
import type { PlanStore, PublishedName } from '../../../ports/plan-store.ts'
import type { Connection } from './connect.ts'
import { text } from './run-row.ts'

const PLANS = `SELECT plan_id, plan_version, sha256 FROM plan_publications p
  WHERE tenant_id = ? AND plan_id > ? AND publication_pos = (SELECT max(publication_pos) FROM plan_publications n
    WHERE n.tenant_id = p.tenant_id AND n.plan_id = p.plan_id)
  ORDER BY plan_id LIMIT ?`
const VERSIONS = `SELECT plan_id, plan_version, sha256 FROM plan_publications p
  WHERE tenant_id = ? AND plan_id = ? AND publication_pos = (SELECT max(publication_pos) FROM plan_publications n
    WHERE n.tenant_id = p.tenant_id AND n.plan_id = p.plan_id AND n.plan_version = p.plan_version)
  ORDER BY publication_pos DESC LIMIT ?`

export function planNamesOf(connection: Connection): Pick<PlanStore, 'listPlans' | 'listPlanVersions'> {
  return {
    listPlans: (tenantId, after, limit) => listPlans(connection, tenantId, after, limit),
    listPlanVersions: (tenantId, planId, limit) => listPlanVersions(connection, tenantId, planId, limit),
  }
}

async function listPlans(
  connection: Connection,
  tenantId: string,
  after: string,
  limit: number,
): Promise<readonly PublishedName[]> {
  return (await connection.read(() => connection.sql(PLANS).all(tenantId, after, limit))).map(nameOf)
}

async function listPlanVersions(
  connection: Connection,
  tenantId: string,
  planId: string,
  limit: number,
): Promise<readonly PublishedName[]> {
  return (await connection.read(() => connection.sql(VERSIONS).all(tenantId, planId, limit))).map(nameOf)
}

function nameOf(row: Parameters<typeof text>[0]): PublishedName {
  return { planId: text(row, 'plan_id'), planVersion: text(row, 'plan_version'), sha256: text(row, 'sha256') }
}
