/** The bounds by which a server defends itself; each has a default in `src/core/limits.ts`. */
import { LIMITS } from '../../../core/limits.ts'

export interface DefenceLimits {
  /** For requests of one principal and of one tenant, each minute; 0: none. The local user has none. */
  readonly perPrincipal: number
  readonly perTenant: number
  /** For requests that no signature has vouched for, of one address, each minute; 0: none. */
  readonly perAddress: number
  readonly connections: number
  readonly headersMs: number
  readonly requestMs: number
  readonly slowLookMs: number
  readonly slowBodyMs: number
  readonly silentMs: number
  readonly busyLoopMs: number
  readonly busyHeapPercent: number
  readonly stopRequestsMs: number
}

export const DEFENCE: DefenceLimits = {
  perPrincipal: LIMITS.requestsPerPrincipal,
  perTenant: LIMITS.requestsPerTenant,
  perAddress: LIMITS.requestsPerAddress,
  connections: LIMITS.connections,
  headersMs: LIMITS.headersMs,
  requestMs: LIMITS.requestMs,
  slowLookMs: LIMITS.slowLookMs,
  slowBodyMs: LIMITS.slowBodyMs,
  silentMs: LIMITS.silentMs,
  busyLoopMs: LIMITS.busyLoopMs,
  busyHeapPercent: LIMITS.busyHeapPercent,
  stopRequestsMs: LIMITS.stopRequestsMs,
}
