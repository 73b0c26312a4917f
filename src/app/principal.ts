/** On whose behalf a run is started or a store is read; the tenant comes only from here. */
import { LOCAL_TENANT } from '../core/local-tenant.ts'

export interface Principal {
  readonly tenantId: string
  readonly projectId: string
  readonly environmentId: string
  readonly actorId: string
  /** The people behind an actor that is no person, such as a schedule: what it starts they make, and so they may not check it. */
  readonly setUpBy?: readonly string[]
}

/** `keelson run` and `openKeelson` without configuration act as this principal (P-49). */
export const LOCAL_PRINCIPAL: Principal = {
  tenantId: LOCAL_TENANT,
  projectId: 'default',
  environmentId: 'local',
  actorId: 'local',
}
