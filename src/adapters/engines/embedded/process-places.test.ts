/** Places of the process: never more than there are, turns between runs, and nobody left waiting. */
import { describe, expect, it } from 'vitest'
import { ProcessPlaces } from './process-places.ts'

const never = new AbortController().signal

describe('the places of a process', () => {
  it('go to runs in turn, and within a run in order [SCH-05, SCH-15]', async () => {
    const places = new ProcessPlaces(1)
    await places.enter(0, never)
    const order: string[] = []
    for (const [run, name] of [
      [1, 'a1'],
      [1, 'a2'],
      [1, 'a3'],
      [2, 'b1'],
      [3, 'c1'],
    ] as const)
      void (async () => {
        await places.enter(run, never)
        order.push(name)
      })()
    for (let step = 0; step < 5; step += 1) {
      places.leave()
      await Promise.resolve()
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
    places.leave()
    expect(places.used).toBe(0)
  })

  it('are not taken by somebody who gave up: it is told at once, and the next one gets in [SCH-10, SCH-07]', async () => {
    const places = new ProcessPlaces(1)
    await places.enter(1, never)
    const gaveUp = new AbortController()
    const first = places.enter(1, gaveUp.signal)
    const second = places.enter(1, never)
    gaveUp.abort()
    expect(await first).toBe('aborted')
    places.leave()
    expect(await second).toBe('entered')
    expect(places.used).toBe(1)
    expect(await places.enter(1, gaveUp.signal)).toBe('aborted')
    places.leave()
    expect(places.used).toBe(0)
  })

  it('are all free for who must be alone, before anybody else gets in, and several such go one by one', async () => {
    const places = new ProcessPlaces(2)
    const order: string[] = []
    const enter = async (name: string, alone = false): Promise<void> => {
      await places.enter(1, never, alone)
      order.push(`${name} of ${places.used}`)
    }
    await enter('a')
    for (const [name, alone] of [
      ['x', true],
      ['b', false],
      ['y', true],
      ['c', false],
    ] as const)
      void enter(name, alone)
    await Promise.resolve()
    expect(order).toEqual(['a of 1'])
    for (const expected of [['x of 1'], ['y of 1'], ['b of 2', 'c of 2']]) {
      order.length = 0
      places.leave()
      await Promise.resolve()
      await Promise.resolve()
      expect(order).toEqual(expected)
    }
  })

  it('open again for the others when who must be alone gives up', async () => {
    const places = new ProcessPlaces(2)
    await places.enter(1, never)
    const gaveUp = new AbortController()
    const loner = places.enter(1, gaveUp.signal, true)
    const other = places.enter(2, never)
    gaveUp.abort()
    expect([await loner, await other, places.used]).toEqual(['aborted', 'entered', 2])
  })
})
