/**
 * The name of a run in an outside engine. Engines have one namespace for all tenants, and tenants choose their run ids: so the
 * name contains the tenant, and two runs never share one. Runs of the local tenant keep their plain ids, because most
 * installations have no other tenant. An id with a `/` would be read as a tenant and a run id; such an id names the local tenant
 * too.
 */
import { LOCAL_TENANT } from '../local-tenant.ts'

/** Stores also replace it by that character. */
const LONE_SURROGATE = /\p{Surrogate}/gu

interface RunName {
  readonly tenantId: string
  readonly runId: string
}

/** The result contains no `/` and no `:`, so it ends at the first `/`, and no name of a plain run begins like it. */
function scopeOf(tenantId: string): string {
  return `${encodeURIComponent(tenantId.replaceAll(LONE_SURROGATE, '\uFFFD'))}/`
}

export function newWorkflowId({ tenantId, runId }: RunName): string {
  return tenantId === LOCAL_TENANT && !runId.includes('/') ? runId : `${scopeOf(tenantId)}${runId}`
}

/**
 * The run ids that a name may mean within a tenant, the more likely one first. Names that were made before names contained
 * tenants are whole run ids.
 */
export function runIdsOf(workflowId: string, tenantId: string): readonly string[] {
  const scope = scopeOf(tenantId)
  return workflowId.startsWith(scope) ? [workflowId.slice(scope.length), workflowId] : [workflowId]
}
