/** The timer heap against a sorted list: earliest first, ties by kind, unit and attempt, never by insertion. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTimers, heapInsert, heapPop, type Timer, type TimerHeap } from './timer-heap.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const timer: fc.Arbitrary<Timer> = fc.record({
  dueAt: fc.nat(20),
  kind: fc.constantFrom('retry', 'timeout', 'undo-retry', 'undo-timeout', 'wait'),
  unit: fc.nat(5),
  attempt: fc.integer({ min: 1, max: 3 }),
})

function drained(heap: TimerHeap | undefined): Timer[] {
  const timers: Timer[] = []
  for (let rest = heap; rest !== undefined; rest = heapPop(rest)) timers.push(rest.timer)
  return timers
}

const heapOf = (timers: readonly Timer[]): TimerHeap | undefined =>
  timers.reduce<TimerHeap | undefined>(heapInsert, undefined)

describe('a timer heap', () => {
  it('gives timers by (dueAt, id) whatever the order they came in', () => {
    fc.assert(
      fc.property(fc.array(timer, { maxLength: 80 }), fc.infiniteStream(fc.nat()), (timers, random) => {
        const shuffled = timers
          .map((one) => ({ one, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one)
        const sorted = [...timers].sort(compareTimers)
        expect(drained(heapOf(timers))).toEqual(sorted)
        expect(drained(heapOf(shuffled))).toEqual(sorted)
      }),
      { seed },
    )
  })

  it('leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(fc.array(timer, { minLength: 1, maxLength: 40 }), timer, (timers, more) => {
        const before = heapOf(timers)
        const seen = drained(before)
        heapInsert(before, more)
        expect(drained(before)).toEqual(seen)
      }),
      { seed },
    )
  })

  it('stays shallow on its right side, so that popping costs a logarithm', () => {
    const many = Array.from({ length: 100_000 }, (_, unit): Timer => ({
      dueAt: unit % 977,
      kind: 'retry',
      unit,
      attempt: 1,
    }))
    const heap = heapOf(many)
    expect(heap?.rank).toBeLessThanOrEqual(17)
    let depth = 0
    for (let at = heap; at !== undefined; at = at.right) depth += 1
    expect(depth).toBeLessThanOrEqual(17)
  })
})
