/** When a driven run wakes by itself: at the instant its last turn named, however many turns named another one before. */
import { describe, expect, it } from 'vitest'
import { VirtualTime } from '../../../../test/fixtures/virtual-time.ts'
import { WakeUp } from './wake-up.ts'

const MINUTE = 60_000

function stage() {
  const time = new VirtualTime()
  const timers = time.timers(() => true)
  const began = time.steady()
  const woken: number[] = []
  let timersSet = 0
  const after: typeof timers.after = (ms, callback) => {
    timersSet += 1
    return timers.after(ms, callback)
  }
  const wakeUp = new WakeUp(time, { ...timers, after }, () => woken.push((time.steady() - began) / MINUTE))
  const wakeIn = (minutes: number): void => wakeUp.set(time.now() + minutes * MINUTE)
  const pass = (minutes: number): void => {
    const until = time.steady() + minutes * MINUTE
    for (let next = time.next(); next !== undefined && next <= until; next = time.next()) time.fireNext()
    time.turnTo(until)
  }
  return { time, wakeUp, wakeIn, pass, woken, timersSet: () => timersSet }
}

describe('a driven run', () => {
  it('is woken once, at the last instant, and sets no timer for each turn that puts it further off', () => {
    const { wakeIn, pass, woken, timersSet } = stage()
    for (let minute = 0; minute < 9; minute += 1) {
      wakeIn(10)
      pass(1)
    }
    expect(timersSet()).toBe(1)
    pass(30)
    expect(woken).toEqual([18])
    expect(timersSet()).toBe(2)
  })

  it('is woken at an instant that comes before the one its timer was set for', () => {
    const { wakeIn, pass, woken } = stage()
    wakeIn(10)
    pass(1)
    wakeIn(2)
    pass(30)
    expect(woken).toEqual([3])
  })

  it('is not woken when its last turn named no instant', () => {
    const { wakeUp, wakeIn, pass, woken } = stage()
    wakeIn(10)
    wakeUp.set(undefined)
    pass(30)
    expect(woken).toEqual([])
  })

  it.each([60, -60])('is woken in time after the wall clock was set by %i minutes under its timer [P-25]', (by) => {
    const { time, wakeIn, pass, woken } = stage()
    wakeIn(10)
    pass(1)
    time.jump(by * MINUTE)
    wakeIn(5)
    pass(90)
    expect(woken).toEqual([6])
  })
})
