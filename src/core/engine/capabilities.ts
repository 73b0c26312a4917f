/**
 * The capabilities a plan can require, in both spellings (CAP-07), and the matrix of what each engine offers (CAP-08).
 * Data only: the check in check-capabilities.ts follows it.
 */
import { LIMITS } from '../limits.ts'

export const CAPABILITIES = {
  PAUSE_NATIVE: 'signal.pause.native',
  PAUSE_EMULATED: 'signal.pause.emulated',
  CANCEL_COOPERATIVE: 'cancel.cooperative',
  CANCEL_FORCED: 'cancel.forced',
  CHILD_WORKFLOWS: 'workflow.child.workflows',
  DYNAMIC_FAN_OUT: 'workflow.fan.dynamic',
  PARALLEL_GROUPS: 'workflow.fan.parallel',
  QUERY_WORKFLOW_STATE: 'query.workflow.state',
  QUERY_TASK_STATE: 'query.task.state',
  DETERMINISTIC_REPLAY_FULL: 'replay.full',
  DETERMINISTIC_REPLAY_TASK: 'replay.task',
  CONTINUE_AS_NEW: 'workflow.continue.as.new',
  SIGNALS_RATE_LIMIT: 'signals.rate.limit',
  MULTI_SIGNAL_HANDLING: 'signals.concurrent',
  HISTORY_ROTATION_CONTINUE_AS_NEW: 'history.rotation',
} as const

export type Capability = (typeof CAPABILITIES)[keyof typeof CAPABILITIES]
export type AdapterName = 'embedded' | 'temporal' | 'conductor' | 'mock'

export interface AdapterCapabilities {
  readonly adapter: AdapterName
  readonly version: string
  readonly capabilities: readonly Capability[]
  /** Effects of one run that the engine carries at once. */
  readonly maxInFlight: number
  /** Finds due runs by polling instead of being notified. */
  readonly polled: boolean
  readonly limits?: Readonly<Record<string, number>>
}

const EVERYTHING: readonly Capability[] = Object.values(CAPABILITIES)

export const ADAPTERS: Readonly<Record<AdapterName, AdapterCapabilities>> = {
  embedded: { adapter: 'embedded', version: '1', capabilities: EVERYTHING, maxInFlight: 10_000, polled: false },
  mock: { adapter: 'mock', version: '1', capabilities: EVERYTHING, maxInFlight: 10_000, polled: false },
  temporal: {
    adapter: 'temporal',
    version: '1',
    capabilities: [
      'signal.pause.native',
      'cancel.cooperative',
      'workflow.child.workflows',
      'workflow.fan.dynamic',
      'workflow.fan.parallel',
      'query.workflow.state',
      'replay.full',
      'workflow.continue.as.new',
      'signals.rate.limit',
      'signals.concurrent',
    ],
    maxInFlight: 500,
    polled: false,
    limits: {
      signalBytes: 64_000,
      signalsPerMinute: LIMITS.signalsPerMinute,
      historyBytes: 50_000_000,
      deferralMinutes: 1440,
    },
  },
  conductor: {
    adapter: 'conductor',
    version: '1',
    capabilities: [
      'signal.pause.emulated',
      'cancel.forced',
      'workflow.fan.parallel',
      'query.task.state',
      'replay.task',
      'signals.rate.limit',
    ],
    maxInFlight: 200,
    polled: true,
    limits: { signalBytes: 32_000, inputBytes: 32_000, historyBytes: 1_000_000 },
  },
}

/** One name for both spellings; `history.rotation` belongs to no engine and means continue-as-new. */
export function normaliseCapability(name: string): Capability | undefined {
  const entry = Object.entries(CAPABILITIES).find(([constant, dotted]) => name === constant || name === dotted)
  return entry?.[1] === 'history.rotation' ? 'workflow.continue.as.new' : entry?.[1]
}

/** What may replace a missing capability; `restart` needs nothing of the engine. */
export const EMULATIONS: Partial<Record<Capability, Capability | 'restart'>> = {
  'signal.pause.native': 'signal.pause.emulated',
  'cancel.cooperative': 'cancel.forced',
  'workflow.continue.as.new': 'restart',
}
