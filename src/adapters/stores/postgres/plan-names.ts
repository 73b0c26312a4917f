/** Published plans by name, for lists: of each name the newest publication. */
import type { PlanStore, PublishedName } from '../../../ports/plan-store.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

/** By code point, as every store orders ids. */
const PLANS = `SELECT DISTINCT ON (plan_id COLLATE "C") plan_id, plan_version, sha256 FROM keelson.plan_publications
  WHERE tenant_id = $1 AND plan_id COLLATE "C" > $2 ORDER BY plan_id COLLATE "C", publication_pos DESC LIMIT $3`
const VERSIONS = `SELECT plan_id, plan_version, sha256 FROM (SELECT DISTINCT ON (plan_version) plan_id, plan_version, sha256,
    publication_pos FROM keelson.plan_publications WHERE tenant_id = $1 AND plan_id = $2
    ORDER BY plan_version, publication_pos DESC) newest
  ORDER BY publication_pos DESC LIMIT $3`

export function planNamesOf(session: Session): Pick<PlanStore, 'listPlans' | 'listPlanVersions'> {
  return {
    listPlans: (tenantId, after, limit) => listPlans(session, tenantId, after, limit),
    listPlanVersions: (tenantId, planId, limit) => listPlanVersions(session, tenantId, planId, limit),
  }
}

async function listPlans(
  session: Session,
  tenantId: string,
  after: string,
  limit: number,
): Promise<readonly PublishedName[]> {
  return (await session.query(PLANS, [tenantId, after, limit])).map(nameOf)
}

async function listPlanVersions(
  session: Session,
  tenantId: string,
  planId: string,
  limit: number,
): Promise<readonly PublishedName[]> {
  return (await session.query(VERSIONS, [tenantId, planId, limit])).map(nameOf)
}

function nameOf(row: Parameters<typeof text>[0]): PublishedName {
  return { planId: text(row, 'plan_id'), planVersion: text(row, 'plan_version'), sha256: text(row, 'sha256') }
}
