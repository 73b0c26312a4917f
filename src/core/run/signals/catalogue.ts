/**
 * The catalogue of signals (SIG-01): who may send one, whether it is destructive, and what its payload holds.
 */
import { flag, literal, object, oneOf, optional, record, anything, text, type Shape } from '../../schema/shape.ts'
import { isBlank } from '../people/person.ts'
import { LIMITS } from '../../limits.ts'

const reason = optional(text({ max: LIMITS.signalReasonChars }))
const stepId = text({ min: 1, max: 128 })

/**
 * `force` of a retry bypasses no rule: work that succeeded is repeated by a fork (SIG-16), and no other rule prevents the retry
 * of failed work.
 */
export const SIGNALS = {
  PAUSE: { role: 'Operator', destructive: false, payload: object({ reason }) },
  RESUME: { role: 'Operator', destructive: false, payload: object({ reason }) },
  CANCEL: { role: 'Operator', destructive: false, payload: object({ reason, undo: optional(flag()) }) },
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
  UPDATE_TARGET: {
    role: 'Admin',
    destructive: true,
    payload: object({ stepId, newTarget: record(anything()), reason }),
  },
  EMERGENCY_STOP: {
    role: 'Admin',
    destructive: true,
    // It always stops at once (SIG-06). A sender who asks for a grace period is refused, because the run would be stopped without
    // one.
    payload: object({ reason: text({ min: 1, max: LIMITS.stopReasonChars }), forceKill: optional(literal(true)) }),
  },
  ESCALATE_ALERT: {
    role: 'System',
    destructive: false,
    payload: object({ level: oneOf('INFO', 'WARNING', 'CRITICAL', 'P1'), note: optional(text({ max: 1000 })) }),
  },
} as const satisfies Record<string, { role: string; destructive: boolean; payload: Shape<unknown> }>

/** Actions of people that are not signals; their refusal is recorded like that of a signal. */
export const COMPLETE_TASK = 'COMPLETE_TASK'
export const APPROVE = 'APPROVE'

export type SignalType = keyof typeof SIGNALS
export const SIGNAL_TYPES = Object.keys(SIGNALS) as readonly SignalType[]

export function isSignalType(name: string): name is SignalType {
  return Object.hasOwn(SIGNALS, name)
}

const CHANGES: ReadonlySet<string> = new Set(['UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET'])

/** Does it change what the run works on? */
export function isChange(signalType: string): boolean {
  return CHANGES.has(signalType)
}

export const SAY_WHY = "what changes or stops a run is justified: say why in 'reason'"

/** The sender of a destructive signal must give a reason that can be read (AUT-07). */
export function lacksReason(signalType: SignalType, payload: Readonly<Record<string, unknown>>): boolean {
  const why = payload['reason']
  return SIGNALS[signalType].destructive && (typeof why !== 'string' || isBlank(why))
}

/** A text of its payload, when it is one. */
export function textField(
  signal: { readonly payload: Readonly<Record<string, unknown>> },
  name: string,
): string | undefined {
  const value = signal.payload[name]
  return typeof value === 'string' ? value : undefined
}
