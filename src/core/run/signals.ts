/**
 * The catalogue of signals (SIG-01): who may send one, whether it is destructive, and what its payload holds.
 */
import { flag, object, oneOf, optional, record, anything, text, type Shape } from '../schema/shape.ts'

const reason = optional(text({ max: 500 }))
const stepId = text({ min: 1, max: 128 })

export const SIGNALS = {
  PAUSE: { role: 'Operator', destructive: false, payload: object({ reason }) },
  RESUME: { role: 'Operator', destructive: false, payload: object({ reason }) },
  CANCEL: { role: 'Operator', destructive: false, payload: object({ reason }) },
  RETRY_STEP: {
    role: 'Engineer',
    destructive: false,
    payload: object({ stepId, force: optional(flag()), freshKey: optional(flag()), reason }),
  },
  RETRY_RUN: {
    role: 'Engineer',
    destructive: false,
    payload: object({
      reason,
      force: optional(flag()),
      from: optional(text({ min: 1, max: 128 })),
      repeatIrreversible: optional(flag()),
    }),
  },
  SKIP_STEP: { role: 'Engineer', destructive: false, payload: object({ stepId, reason }) },
  UPDATE_PARAMS: { role: 'Admin', destructive: true, payload: object({ params: record(anything()), reason }) },
  INJECT_OVERRIDE: {
    role: 'Admin',
    destructive: true,
    payload: object({ stepId, override: record(anything()), reason }),
  },
  UPDATE_TARGET: { role: 'Admin', destructive: true, payload: object({ stepId, newTarget: anything(), reason }) },
  EMERGENCY_STOP: {
    role: 'Admin',
    destructive: true,
    payload: object({ reason: text({ min: 1, max: 1000 }), forceKill: optional(flag()) }),
  },
  ESCALATE_ALERT: {
    role: 'System',
    destructive: false,
    payload: object({ level: oneOf('INFO', 'WARNING', 'CRITICAL', 'P1'), note: optional(text({ max: 1000 })) }),
  },
} as const satisfies Record<string, { role: string; destructive: boolean; payload: Shape<unknown> }>

export type SignalType = keyof typeof SIGNALS
export const SIGNAL_TYPES = Object.keys(SIGNALS) as readonly SignalType[]

export function isSignalType(name: string): name is SignalType {
  return Object.hasOwn(SIGNALS, name)
}
