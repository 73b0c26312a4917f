import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SAMPLES, slotOfSample } from '../../../test/golden/event-samples.ts'
import { slotOf } from './slot-of.ts'
import {
  alertSlot,
  compensationSlot,
  innerStepSlot,
  lateSlot,
  parseStepSlot,
  stepSlotText,
  taskSlot,
  type StepSlot,
} from './slot.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const stepId = fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/).filter((id) => id !== 'RUN')
const stepSlot: fc.Arbitrary<StepSlot> = fc.record(
  { stepId, itemIndex: fc.nat({ max: 99_999 }), role: fc.constant('fallback' as const) },
  { requiredKeys: ['stepId'] },
)

describe('a slot', () => {
  it(`reads back as what it was written from, under every prefix (seed ${seed})`, () => {
    fc.assert(
      fc.property(stepSlot, fc.integer({ min: 1, max: 50 }), (slot, n) => {
        const text = stepSlotText(slot)
        expect(parseStepSlot(text)).toEqual(slot)
        for (const wrapped of [
          text,
          compensationSlot(text),
          taskSlot(text, n),
          lateSlot(text, n),
          lateSlot(compensationSlot(text), n),
          alertSlot('X_Y', text, n),
        ]) {
          expect(innerStepSlot(wrapped)).toEqual(slot)
        }
      }),
      { seed },
    )
  })

  it('of the run, a signal or a fork is about no step', () => {
    for (const slot of ['RUN', 'SIGNAL:a', 'FORK:a', 'ALERT:CODE:RUN:4']) expect(innerStepSlot(slot)).toBeUndefined()
  })

  it('is refused where it is none', () => {
    for (const text of ['', 'a b', 'a[', 'a[01]', 'a[-1]', 'a[1000000]', 'X:a', 'FALLBACK:'])
      expect(parseStepSlot(text)).toBeUndefined()
  })

  it.each(SAMPLES)('is told by a $eventType itself', (write) => {
    expect(slotOf(write, 1)).toBe(slotOfSample(write.eventType))
  })

  it('of a late compensation is told apart from that of its step [X-31]', () => {
    const payload = { stepId: 'a', attempt: 2, compensation: true }
    expect(slotOf({ eventType: 'LateOutcomeRecorded', payload })).toBe('LATE:COMP:a:2')
  })

  it('is not told by an event that lacks what its slot is made of', () => {
    const eventTypes = [
      'StepStarted',
      'CompensationStarted',
      'ManualTaskOpened',
      'LateOutcomeRecorded',
      'SignalAccepted',
      'RunForked',
    ]
    for (const eventType of eventTypes) expect(slotOf({ eventType })).toBeUndefined()
    expect(slotOf({ eventType: 'AlertRaised', payload: { code: 'X' } })).toBeUndefined()
    expect(slotOf({ eventType: 'ManualTaskOpened', stepId: 'a', payload: {} })).toBeUndefined()
  })
})
