/**
 * How to reach a Temporal server and which queues to use, with the defaults of TMP-14. Settings are checked whole before
 * anything is connected; secrets in them (keys, certificates) are never part of a message.
 */
import { fail } from '../../../../core/problems/problem.ts'
import type { Rotation } from '../sandbox/wire.ts'
import type { KindTimes } from '../sandbox/activity-options.ts'

export interface TlsSettings {
  readonly serverName?: string
  readonly rootCertificate?: Uint8Array
  /** Both or neither: mutual TLS. */
  readonly certificate?: Uint8Array
  readonly key?: Uint8Array
}

/** Encrypts what goes into Temporal's history; an object with Temporal's `PayloadCodec` methods. */
export interface PayloadCodec {
  encode(payloads: Payload[]): Promise<Payload[]>
  decode(payloads: Payload[]): Promise<Payload[]>
}
interface Payload {
  metadata?: { [name: string]: Uint8Array } | null
  data?: Uint8Array | null
}

export interface TemporalSettings {
  /** `host:port`. Default `127.0.0.1:7233`. */
  readonly address?: string
  /** Default `default`. */
  readonly namespace?: string
  /** First part of the task queues. Default `dvt-temporal`. */
  readonly taskQueue?: string
  /** `tenant`: one queue per tenant. `class`: by kind of work and environment (TMP-13). Default `tenant`. */
  readonly routing?: 'tenant' | 'class'
  /** Queues of other tenants that plans may name nevertheless; the operator of the deployment decides. */
  readonly stepQueues?: readonly string[]
  readonly tls?: boolean | TlsSettings
  readonly apiKey?: string
  readonly codec?: PayloadCodec
  readonly connectTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** When to rotate the history of a run's workflow. */
  readonly rotation?: Partial<Rotation>
  /** Times by kind of action, over those of TMP-10. */
  readonly times?: Readonly<Record<string, KindTimes>>
  /** Search attribute `regulatoryTier` of every run. */
  readonly regulatoryTier?: string
  /** Kept in the worker's sticky cache; 0 turns it off. */
  readonly maxCachedWorkflows?: number
  /** Steps at work in this worker at once. Default 100. */
  readonly maxSteps?: number
  /** How long a worker that is asked to stop lets its steps go on. Default 10,000 ms. */
  readonly shutdownGraceMs?: number
}

export type CheckedSettings = TemporalSettings &
  Required<Pick<TemporalSettings, 'address' | 'namespace' | 'taskQueue' | 'routing'>> &
  Required<Pick<TemporalSettings, 'connectTimeoutMs' | 'requestTimeoutMs' | 'maxSteps' | 'shutdownGraceMs'>> & {
    readonly rotation: Rotation
  }

const DEFAULTS = {
  address: '127.0.0.1:7233',
  namespace: 'default',
  taskQueue: 'dvt-temporal',
  routing: 'tenant',
  connectTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  maxSteps: 100,
  shutdownGraceMs: 10_000,
} as const
const ROTATE_AT_EVENTS = 8_000

export function checkSettings(given: TemporalSettings): CheckedSettings {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as TemporalSettings
  const settings = { ...DEFAULTS, ...said, rotation: { events: ROTATE_AT_EVENTS, ...given.rotation } }
  for (const name of ['address', 'namespace', 'taskQueue'] as const)
    if (settings[name].trim() === '') fail('TEMPORAL_CLIENT_NOT_CONFIGURED', `'${name}' is empty`)
  if (!/^[^\s:/]+:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$/i.test(settings.address))
    fail('TEMPORAL_CLIENT_NOT_CONFIGURED', `'address' must be host:port, not '${settings.address}'`)
  const counts = {
    connectTimeoutMs: settings.connectTimeoutMs,
    requestTimeoutMs: settings.requestTimeoutMs,
    maxSteps: settings.maxSteps,
    'rotation.events': settings.rotation.events,
    'rotation.steps': settings.rotation.steps ?? 1,
    'rotation.bytes': settings.rotation.bytes ?? 1,
  }
  for (const [name, value] of Object.entries(counts))
    if (!Number.isSafeInteger(value) || value < 1)
      fail('TEMPORAL_CLIENT_NOT_CONFIGURED', `'${name}' must be a positive whole number, not ${String(value)}`)
  const { tls } = settings
  if (typeof tls === 'object' && (tls.certificate === undefined) !== (tls.key === undefined))
    fail('TEMPORAL_CLIENT_NOT_CONFIGURED', 'mutual TLS needs a certificate and its key, both')
  return settings
}
