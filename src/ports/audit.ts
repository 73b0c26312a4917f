/** Storage for refusals that no run's log may hold, such as those of a foreign tenant (SIG-15, AUT-09). */
export interface AuditEntry {
  /** RFC 3339. */
  readonly at: string
  readonly policyDecisionId: string
  readonly operation: string
  readonly decision: 'DENIED'
  readonly reasonCode: string
  readonly actorId: string
  readonly tenantId: string
  readonly sourceIp?: string
  /** What was requested, as written. */
  readonly target: string
}

export interface AuditTrail {
  /** Resolves when it is stored. */
  record(entry: AuditEntry): Promise<void>
}
