/** Pauses that span runs (P-23): of a plan or a tenant, and of the whole fleet. Stores decide nothing. */
export interface ScopePause {
  readonly pauseId: string
  /** `plan:<planId>`, `tenant` or `fleet`. */
  readonly scope: string
  readonly tenantId?: string
  readonly reason?: string
  readonly active: boolean
  /** Who said so last, and when; absent for pauses of earlier versions. */
  readonly setBy?: string
  readonly setAt?: number
  /** Since when it holds: saying it again, with another reason, does not change that. */
  readonly since?: number
}

export interface PauseStore {
  putScopePause(pause: ScopePause): Promise<void>
  /** Those that hold now, of the tenant and of the whole fleet. */
  readScopePauses(tenantId: string): Promise<readonly ScopePause[]>
  /** The tenant's own of that scope, which may be over: one that holds, otherwise the newest. */
  lastScopePause(tenantId: string, scope: string): Promise<ScopePause | undefined>
}
