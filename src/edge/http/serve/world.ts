/** What every request of a server has at hand. */
import type { AuditFact } from '../../../app/audit/audit-log.ts'
import type { Caller } from '../../../app/identity/caller.ts'
import type { Authorizer } from '../../../ports/authorizer.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import type { Metrics } from './metrics.ts'
import type { Undertaken } from './readiness.ts'
import type { LoginWays } from '../login/login-ways.ts'
import type { WhoAsks } from '../who/who-asks.ts'
import type { DefenceLimits } from '../defence/defence-limits.ts'
import type { Pressure } from '../defence/pressure.ts'
import type { RequestRates } from '../defence/request-rates.ts'
import type { UnderWay } from '../defence/under-way.ts'

/** A request in the log of the process: never a header, a body, a query or a key. */
export interface RequestLine {
  readonly method: string
  /** The row of the table, or `none`. */
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly tenantId?: string
  readonly actorId?: string
  readonly kind?: string
  readonly correlationId: string
}

export interface World {
  /** As it was opened; requests act through `of`. */
  readonly keelson: Keelson
  readonly of: (caller: Caller) => Keelson
  readonly who: WhoAsks
  readonly authorizer: Authorizer
  /** The same, and its denials are recorded: for what is asked outside an act, whose own record has them. */
  readonly door: Authorizer
  /** Undefined: people cannot log in. */
  readonly login: LoginWays | undefined
  /** Into the audit log of a tenant. */
  readonly note: (tenantId: string, fact: AuditFact) => Promise<void>
  readonly metrics: Metrics
  /** On a developer's machine: plans in a body are started, versions may change, others may be acted for. */
  readonly dev: boolean
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly uuid: () => string
  /** Names that requests may give as `Host`, without port. */
  readonly hosts: ReadonlySet<string>
  /** Origins whose pages may ask, beside the server's own. */
  readonly origins: ReadonlySet<string>
  /** Addresses of proxies whose `X-Forwarded-…` headers count. */
  readonly trustProxy: readonly string[]
  readonly limits: DefenceLimits
  readonly rates: Pick<RequestRates, 'take' | 'takeUnknown'>
  readonly pressure: Pick<Pressure, 'why'>
  readonly underWay: UnderWay
  /** Told after every answer. */
  readonly served: (line: RequestLine) => void
  /** Problems that nobody expected, for the log of the process. */
  readonly tell: (thrown: unknown, correlationId: string) => void
  /** Aborted when the process is going away: no new work, and streams tell their readers to come back. */
  readonly stopping: AbortSignal
  readonly streams: StreamSettings
  readonly undertaken: Undertaken
}

export interface StreamSettings {
  readonly keepAliveMs: number
  readonly perPrincipal: number
  /** Between two looks whether the reader is still known. */
  readonly whoMs: number
  /** Between two messages of a tenant's stream, and between two looks for what other processes wrote. */
  readonly movesMs: number
}
