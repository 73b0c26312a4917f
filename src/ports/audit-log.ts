/**
 * The audit log of a tenant: what its people and programs did and were refused (AUT-12). Rows are only added; each names the hash of the
 * one before it, and carries an HMAC of whoever wrote it. A store numbers them and keeps their bytes; it knows no key.
 */
export type AuditType =
  | 'AUTH_DECISION'
  | 'STATE_MUTATION'
  | 'SIGNAL_SENT'
  | 'API_CALL'
  | 'PLUGIN_INVOKED'
  | 'ARTIFACT_ACCESSED'
  | 'CONFIG_CHANGED'
  | 'BACKPRESSURE_SIGNAL'

/** What a writer makes of an entry once its place is known. */
export interface SealedAudit {
  readonly type: AuditType
  /** Epoch milliseconds, by the writer's clock. */
  readonly at: number
  /** Canonical JSON: everything that is hashed. */
  readonly record: string
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** The key of the HMAC, and its 32 bytes. */
  readonly keyId: string
  readonly mac: Uint8Array
}

export interface AuditRow extends SealedAudit {
  readonly tenantId: string
  /** From 1, without gaps. */
  readonly position: number
}

/** Before the first row: position 0 and a hash of 32 zero bytes. */
export interface AuditHead {
  readonly position: number
  readonly hash: Uint8Array
}

export interface AuditLog {
  /** How many appends of one tenant may be on their way to it at once, without one waiting for the other; default 1. */
  readonly auditsAtOnce?: number
  /**
   * All or nothing, in the order given. `seal` is called with the number of each entry and the hash of the row before it; it may be
   * called again when another process was faster.
   */
  appendAudit<E>(
    tenantId: string,
    entries: readonly E[],
    seal: (entry: E, position: number, previous: Uint8Array) => SealedAudit,
  ): Promise<readonly AuditRow[]>
  /** Ascending by position, strictly after `after` (0 for all), at most `limit`. */
  readAudit(tenantId: string, after: number, limit: number): Promise<readonly AuditRow[]>
  auditHead(tenantId: string): Promise<AuditHead>
  /** For verification: all tenants that have an audit log. */
  auditTenants(): Promise<readonly string[]>
}
