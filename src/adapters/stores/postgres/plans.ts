/**
 * Plans by tenant and by the hash of their bytes: stored once, never changed. A published plan is found by its id. Rows
 * are only added; a unique index lets one of several callers be the first under an id and version.
 */
import type { PlanStore, PutPlan, PutPlanAnswer, StoredPlan } from '../../../ports/plan-store.ts'
import { keptSource, writtenSource } from '../../../core/plan/read/source-text.ts'
import type { PlanSource } from '../../../core/run/input.ts'
import { text } from './run-row.ts'
import type { Session } from './session.ts'

/** `replaces` only where there is something to replace: the index guards the first row of a version. */
const PUT = `INSERT INTO keelson.plans (tenant_id, sha256, plan_id, plan_version, text, replaces)
  SELECT $1, $2, $3, $4, $5, other.found FROM (SELECT EXISTS (SELECT 1 FROM keelson.plans p WHERE p.tenant_id = $1
    AND p.plan_id = $3 AND p.plan_version = $4 AND p.sha256 <> $2) AS found) other
  WHERE $6 OR NOT other.found
  ON CONFLICT DO NOTHING`
const PUBLISH = `INSERT INTO keelson.plan_publications (tenant_id, sha256, plan_id, plan_version, replaces, source)
  SELECT $1, $2, $3, $4, newest.sha256 IS NOT NULL, $6 FROM (SELECT (SELECT b.sha256 FROM keelson.plan_publications b
    WHERE b.tenant_id = $1 AND b.plan_id = $3 AND b.plan_version = $4
    ORDER BY b.publication_pos DESC LIMIT 1) AS sha256) newest
  WHERE EXISTS (SELECT 1 FROM keelson.plans p WHERE p.tenant_id = $1 AND p.sha256 = $2)
    AND newest.sha256 IS DISTINCT FROM $2 AND ($5 OR newest.sha256 IS NULL)
  ON CONFLICT DO NOTHING`
const FOUND = `SELECT EXISTS (SELECT 1 FROM keelson.plans p WHERE p.tenant_id = $1 AND p.sha256 = $2) AS here,
  (SELECT p.sha256 FROM keelson.plans p WHERE p.tenant_id = $1 AND p.plan_id = $3 AND p.plan_version = $4
    ORDER BY p.plan_pos DESC LIMIT 1) AS newest,
  (SELECT b.sha256 FROM keelson.plan_publications b WHERE b.tenant_id = $1 AND b.plan_id = $3 AND b.plan_version = $4
    ORDER BY b.publication_pos DESC LIMIT 1) AS published`
const GET = 'SELECT text FROM keelson.plans WHERE tenant_id = $1 AND sha256 = $2'
const NEWEST = `SELECT sha256 FROM keelson.plan_publications WHERE tenant_id = $1 AND plan_id = $2
  AND ($3::text IS NULL OR plan_version = $3) ORDER BY publication_pos DESC LIMIT 1`

const SOURCE = `SELECT source FROM keelson.plan_publications WHERE tenant_id = $1 AND sha256 = $2
  ORDER BY publication_pos DESC LIMIT 1`

export function plansOf(session: Session): Omit<PlanStore, 'listPlans' | 'listPlanVersions'> {
  return {
    putPlan: (plan, how) => putPlan(session, plan, how),
    getPlan: (tenantId, sha256) => getPlan(session, tenantId, sha256),
    findPlan: (tenantId, planId, planVersion) => findPlan(session, tenantId, planId, planVersion),
    findPlanSource: (tenantId, sha256) => findPlanSource(session, tenantId, sha256),
  }
}

async function putPlan(session: Session, plan: StoredPlan, how: PutPlan = {}): Promise<PutPlanAnswer> {
  const { publish = false, replaceVersion = false, source } = how
  const name = [plan.tenantId, plan.sha256, plan.planId, plan.planVersion]
  // Another caller may be the first at this very moment, and the index allows only one: then its row can be replaced.
  for (let times = replaceVersion ? 2 : 1; times > 0; times -= 1) {
    await session.query(PUT, [...name, plan.text, replaceVersion])
    if (publish) await session.query(PUBLISH, [...name, replaceVersion, writtenSource(source)])
  }
  const [found = {}] = await session.query(FOUND, name)
  if (found['here'] !== true) return { kind: 'version-exists', sha256: text(found, 'newest') }
  const isPublished = !publish || replaceVersion || found['published'] === plan.sha256
  return isPublished ? { kind: 'stored' } : { kind: 'version-exists', sha256: text(found, 'published') }
}

async function getPlan(session: Session, tenantId: string, sha256: string): Promise<string | undefined> {
  const [row] = await session.query(GET, [tenantId, sha256])
  return row === undefined ? undefined : text(row, 'text')
}

async function findPlanSource(session: Session, tenantId: string, sha256: string): Promise<PlanSource | undefined> {
  const [row] = await session.query(SOURCE, [tenantId, sha256])
  return keptSource(row?.['source'])
}

async function findPlan(
  session: Session,
  tenantId: string,
  planId: string,
  planVersion: string | undefined,
): Promise<string | undefined> {
  const [row] = await session.query(NEWEST, [tenantId, planId, planVersion])
  return row === undefined ? undefined : text(row, 'sha256')
}
