/**
 * The source of the values behind `secret://…` references. Asked once per attempt, on the side that runs the step, and
 * always for one tenant and one environment: a reference means nothing outside its scope (SEC-02, SEC-04, SEC-10).
 */
export interface SecretScope {
  readonly tenantId: string
  readonly environmentId: string
  /** For providers that scope more narrowly. */
  readonly projectId?: string
  readonly runId?: string
}

export interface SecretValue {
  readonly value: string
  /** Identifies this value among its predecessors; never derived from the value itself. */
  readonly version?: string
}

export interface SecretsProvider {
  /** The references that exist in this scope; others are left out. Rejects when it cannot tell. */
  resolve(refs: readonly string[], scope: SecretScope): Promise<ReadonlyMap<string, SecretValue>>
}
