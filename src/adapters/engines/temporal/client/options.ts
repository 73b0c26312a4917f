/** What `temporal({ … })` may be told, beside the settings of the connection. */
import type { OptionNames } from '../../../../core/known-options.ts'
import { COUNT, MILLISECONDS, NUMBER, TEXT } from '../../../../core/option-kinds.ts'
import type { TemporalSettings } from './settings.ts'

export interface TemporalOptions extends TemporalSettings {
  /** Host a worker in this process; with the queues that plans name for their steps, and with those of further tenants. Default true. */
  readonly worker?: boolean | { readonly queues?: readonly string[]; readonly tenants?: readonly string[] }
  /** How often runs are looked for whose workflow does not move. Default 1,000 ms. */
  readonly pollMs?: number
}

export const TEMPORAL_OPTIONS: OptionNames<TemporalOptions> = {
  address: TEXT,
  namespace: TEXT,
  taskQueue: TEXT,
  stepQueues: true,
  routing: true,
  tls: true,
  apiKey: true,
  codec: true,
  connectTimeoutMs: MILLISECONDS,
  requestTimeoutMs: MILLISECONDS,
  rotation: true,
  times: true,
  regulatoryTier: true,
  maxCachedWorkflows: true,
  maxSteps: COUNT,
  shutdownGraceMs: NUMBER,
  worker: true,
  pollMs: MILLISECONDS,
}
