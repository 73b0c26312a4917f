/** Places of the process: never more than there are, turns between runs, and nobody left waiting. */
import { describe, expect, it } from 'vitest'
import { ProcessSlots } from './process-slots.ts'

const never = new AbortController().signal

describe('the places of a process', () => {
  it('go to runs in turn, and within a run in order [SCH-05, SCH-15]', async () => {
    const slots = new ProcessSlots(1)
    await slots.enter(0, never)
    const order: string[] = []
    for (const [run, name] of [
      [1, 'a1'],
      [1, 'a2'],
      [1, 'a3'],
      [2, 'b1'],
      [3, 'c1'],
    ] as const)
      void slots.enter(run, never).then(() => order.push(name))
    for (let step = 0; step < 5; step += 1) {
      slots.leave()
      await Promise.resolve()
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
    slots.leave()
    expect(slots.used).toBe(0)
  })

  it('are not taken by somebody who gave up: it is told at once, and the next one gets in [SCH-10, SCH-07]', async () => {
    const slots = new ProcessSlots(1)
    await slots.enter(1, never)
    const gaveUp = new AbortController()
    const first = slots.enter(1, gaveUp.signal)
    const second = slots.enter(1, never)
    gaveUp.abort()
    expect(await first).toBe('aborted')
    slots.leave()
    expect(await second).toBe('entered')
    expect(slots.used).toBe(1)
    expect(await slots.enter(1, gaveUp.signal)).toBe('aborted')
    slots.leave()
    expect(slots.used).toBe(0)
  })
})
