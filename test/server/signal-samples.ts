/** A signal of each type, and who may send which (AUT-05). */
/** A payload of each type that its schema takes. */
export const PAYLOADS: Readonly<Record<string, object>> = {
  PAUSE: { reason: 'a look' },
  RESUME: {},
  CANCEL: { reason: 'no' },
  RETRY_STEP: { stepId: 'first' },
  RETRY_RUN: {},
  SKIP_STEP: { stepId: 'second' },
  UPDATE_PARAMS: { params: { n: 1 }, reason: 'wrong number' },
  INJECT_OVERRIDE: { stepId: 'second', override: { n: 1 }, reason: 'wrong number' },
  UPDATE_TARGET: { stepId: 'second', newTarget: { db: 'g' }, reason: 'wrong place' },
  EMERGENCY_STOP: { reason: 'fire' },
  ESCALATE_ALERT: { level: 'P1' },
}
export const OPERATOR = ['PAUSE', 'RESUME', 'CANCEL']
export const ENGINEER = [...OPERATOR, 'RETRY_STEP', 'RETRY_RUN', 'SKIP_STEP']
export const ADMIN = [...ENGINEER, 'UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET', 'EMERGENCY_STOP']
