/** What cannot be dealt with is tried less and less often, and what is kept of it is bounded. */
import { expect, it } from 'vitest'
import { seededRandom, VirtualTime } from '../../../test/fixtures/virtual-time.ts'
import { PutOff } from './put-off.ts'

const LOOK_MS = 500

/** Looks every half second for so long, and fails whenever it is let. */
function triesWithin(ms: number): readonly number[] {
  const time = new VirtualTime()
  const from = time.steady()
  const putOff = new PutOff(time, seededRandom('put-off'))
  const tries: number[] = []
  for (; time.steady() < from + ms; time.turnTo(time.steady() + LOOK_MS)) {
    if (putOff.now().includes(7)) continue
    putOff.failed(7)
    tries.push(time.steady() - from)
  }
  return tries
}

it('a run that always fails is tried at most seven times in the first minute, and then about once a minute', () => {
  const first = triesWithin(60_000)
  expect(first.length).toBeLessThanOrEqual(7)
  const gaps = first.slice(1).map((at, index) => at - (first[index] ?? 0))
  expect(gaps.at(-1)).toBeGreaterThan(8 * (gaps[0] ?? 0))
  expect(triesWithin(3_600_000).length - first.length).toBeLessThanOrEqual(120)
  expect(triesWithin(3_600_000).length - first.length).toBeGreaterThanOrEqual(55)
})

it('one that was dealt with begins anew, one that is not seen again is forgotten, and of too many the oldest is', () => {
  const time = new VirtualTime()
  const putOff = new PutOff(time, seededRandom('put-off'))
  expect([putOff.failed(1), putOff.failed(1), putOff.failed(2)]).toEqual([1, 2, 1])
  expect(putOff.now()).toEqual([1, 2])
  putOff.done(1)
  expect([putOff.now(), putOff.failed(1)]).toEqual([[2], 1])
  time.turnTo(time.steady() + 3_600_000)
  expect([putOff.now(), putOff.failed(2)]).toEqual([[], 1])
  for (let runKey = 10; runKey < 10_010; runKey += 1) putOff.failed(runKey)
  expect(putOff.now()).toHaveLength(10_000)
  expect(putOff.now()).not.toContain(2)
})
