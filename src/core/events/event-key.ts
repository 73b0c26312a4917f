/**
 * The text of an event's idempotency key (IDM-01): five parts separated by bars, hashed by the append path. It never
 * contains engineAttemptId, tenant or times.
 */
export interface KeyParts {
  readonly runId: string
  /** The slot's text; `RUN` where there is none (IDM-02). */
  readonly slot?: string
  readonly attempt?: number
  readonly eventType: string
  readonly planVersion: string
}

export function keyText(parts: KeyParts): string {
  return `${parts.runId}|${parts.slot ?? 'RUN'}|${parts.attempt ?? 1}|${parts.eventType}|${parts.planVersion}`
}

/** The six-part formula of the second contract version, only behind an explicit option (IDM-06). */
export function keyTextV2(parts: KeyParts & { readonly planId: string }): string {
  return `${parts.runId}|${parts.slot ?? 'RUN'}|${parts.attempt ?? 1}|${parts.eventType}|${parts.planId}|${parts.planVersion}`
}

/** An identifier may enter a key only if it cannot be read as two (IDM-07). */
export function isKeySafe(identifier: string): boolean {
  return identifier.length > 0 && !identifier.includes('|')
}
