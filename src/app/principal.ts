/** On whose behalf a run is started or a store is read; the tenant comes from here and nowhere else. */
export interface Principal {
  readonly tenantId: string
  readonly projectId: string
  readonly environmentId: string
  readonly actorId: string
}

/** `keelson run` and `openKeelson` without configuration act as this principal (P-49). */
export const LOCAL_PRINCIPAL: Principal = {
  tenantId: 'local',
  projectId: 'default',
  environmentId: 'local',
  actorId: 'local',
}
