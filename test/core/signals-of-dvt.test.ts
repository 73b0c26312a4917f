/**
 * What the payload of a signal may be: the verdicts of dvt's own schemas, and where ours differ. Every signal is tried with
 * each field that any of them has.
 */
import { describe, expect, it } from 'vitest'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import { SIGNAL_TYPES, SIGNALS, type SignalType } from '../../src/core/run/signals/catalogue.ts'

type Fields = Readonly<Record<string, unknown>>

const accepts = (signalType: SignalType, payload: Fields): boolean =>
  validateJson(SIGNALS[signalType].payload.schema, payload, 'SIGNAL_INVALID_PAYLOAD').ok

/** What each must have: the least that is accepted. */
const LEAST: Readonly<Record<SignalType, Fields>> = {
  PAUSE: {},
  RESUME: {},
  CANCEL: {},
  RETRY_STEP: { stepId: 's' },
  RETRY_RUN: {},
  SKIP_STEP: { stepId: 's' },
  UPDATE_PARAMS: { params: {} },
  INJECT_OVERRIDE: { stepId: 's', override: {} },
  UPDATE_TARGET: { stepId: 's', newTarget: {} },
  EMERGENCY_STOP: { reason: 'r' },
  ESCALATE_ALERT: { level: 'P1' },
}

/** What each may have besides; `reason` is below. */
const MORE: Readonly<Record<SignalType, readonly string[]>> = {
  PAUSE: [],
  RESUME: [],
  CANCEL: ['undo'],
  RETRY_STEP: ['force', 'freshKey'],
  RETRY_RUN: ['force', 'from', 'repeatIrreversible'],
  SKIP_STEP: [],
  UPDATE_PARAMS: [],
  INJECT_OVERRIDE: [],
  UPDATE_TARGET: [],
  EMERGENCY_STOP: ['forceKill'],
  ESCALATE_ALERT: ['note'],
}

const VALUES: Fields = {
  stepId: 's',
  force: true,
  freshKey: true,
  forceKill: true,
  undo: true,
  repeatIrreversible: true,
  level: 'INFO',
  note: 'n',
  params: { a: 1 },
  override: { a: 1 },
  newTarget: { schema: 'x' },
  from: 'x',
  unknown: 1,
}

describe.each(SIGNAL_TYPES)('%s', (signalType) => {
  const least = LEAST[signalType]

  it('is accepted with what it must have, and refused without any one of it [SIG-01]', () => {
    expect(accepts(signalType, least)).toBe(true)
    for (const field of Object.keys(least)) {
      const { [field]: _left, ...rest } = least
      expect(accepts(signalType, rest), field).toBe(false)
    }
  })

  it('takes the fields of its own and none of another signal [SIG-01]', () => {
    for (const [field, value] of Object.entries(VALUES)) {
      const isOwn = Object.hasOwn(least, field) || MORE[signalType].includes(field)
      expect(accepts(signalType, { ...least, [field]: value }), field).toBe(isOwn)
    }
  })

  it('takes a reason that is a text of at most 500 characters, a stop one of 1 to 1,000, an alert none [SIG-01]', () => {
    const isStop = signalType === 'EMERGENCY_STOP'
    const isAlert = signalType === 'ESCALATE_ALERT'
    const reason = (value: unknown): boolean => accepts(signalType, { ...least, reason: value })
    expect([reason(''), reason('r'), reason('x'.repeat(500)), reason('x'.repeat(501))]).toEqual(
      isAlert ? [false, false, false, false] : [!isStop, true, true, isStop],
    )
    expect([reason('x'.repeat(1001)), reason(5), reason(null)]).toEqual([false, false, false])
  })
})

describe('values that are refused in any signal', () => {
  it.each([
    ['RETRY_STEP', { stepId: 'x'.repeat(129) }],
    ['RETRY_STEP', { stepId: 5 }],
    ['RETRY_STEP', { stepId: 's', force: 'yes' }],
    ['INJECT_OVERRIDE', { stepId: 's', override: [] }],
    ['INJECT_OVERRIDE', { stepId: 's', override: 'x' }],
    ['UPDATE_PARAMS', { params: [] }],
    ['UPDATE_PARAMS', { params: null }],
    ['UPDATE_TARGET', { stepId: 's', newTarget: 'db2' }],
    ['UPDATE_TARGET', { stepId: 's', newTarget: null }],
    ['ESCALATE_ALERT', { level: 'P2' }],
    ['ESCALATE_ALERT', { level: 'INFO', note: 'x'.repeat(1001) }],
    ['EMERGENCY_STOP', { reason: 'r', forceKill: false }],
  ] as const)('%s %j [SIG-01]', (signalType, payload) => {
    expect(accepts(signalType, payload)).toBe(false)
  })
})
