import { describe, expect, it } from 'vitest'
import { SuspectTurns } from './suspect-turns.ts'

const never = new AbortController().signal

describe('suspects in processes of their own', () => {
  it('are four at a time, the others in order, and one that is to stop does not wait', async () => {
    const turns = new SuspectTurns()
    const begun: number[] = []
    const ends: (() => void)[] = []
    const stop = new AbortController()
    const start = (n: number, signal = never): Promise<void> =>
      turns.during(signal, () => {
        begun.push(n)
        return new Promise((resolve) => (ends[n] = resolve))
      })
    const all = [0, 1, 2, 3, 4].map((n) => start(n))
    all.push(start(5, stop.signal), start(6))
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2, 3])
    stop.abort()
    await new Promise(setImmediate)
    expect(begun).toEqual([0, 1, 2, 3, 5])
    for (const [n, next] of [
      [1, 4],
      [5, undefined],
      [0, 6],
    ] as const) {
      ends[n]?.()
      await new Promise(setImmediate)
      expect(begun.at(-1)).toBe(next ?? 4)
    }
    for (const end of ends) end()
    await Promise.all(all)
  })
})
