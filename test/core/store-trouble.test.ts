/** A store that does not answer is asked again and again; an operator learns of it, once in a while, and of its end. */
import { describe, expect, it } from 'vitest'
import { troubleTeller } from '../../src/library/tell/store-trouble.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { World } from '../fixtures/virtual-world.ts'

/** Calls by these names are refused while `down` says so. */
function brittle(down: () => boolean, names: readonly (keyof RunStore)[]): (store: RunStore) => RunStore {
  return (store) =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function' || !names.includes(name as keyof RunStore)) return value
        return async (...given: unknown[]) => {
          if (down()) throw new KeelsonError([problem('STORE_UNAVAILABLE', `${String(name)} was not answered`)])
          return (await Reflect.apply(value, target, given)) as unknown
        }
      },
    })
}

describe('trouble with the store', () => {
  it('that polls meet is told when it lasts, every minute, and when it is over', async () => {
    const world = new World()
    let isDown = false
    const process = world.process('p', { wrapStore: brittle(() => isDown, ['dueRuns']) })
    await world.advanceBy(5000)
    const began = new Date(world.time.now() + 500).toISOString()
    isDown = true
    await world.advanceBy(1000)
    expect(process.troubles).toEqual([])
    await world.advanceBy(59_000)
    const failing = { state: 'failing', code: 'STORE_UNAVAILABLE', since: began }
    expect(process.troubles).toMatchObject([{ ...failing, failures: 3 }])
    await world.advanceBy(5000)
    expect(process.troubles).toMatchObject([{ failures: 3 }, { ...failing, failures: 123 }])
    isDown = false
    await world.advanceBy(10_000)
    expect(process.troubles.slice(2)).toMatchObject([{ state: 'recovered', failures: 130, since: began }])
    await world.advanceBy(600_000)
    expect(process.troubles).toHaveLength(3)
  })

  it('that only the turns of a run meet is told as well, and reads that succeed do not pass for its end', async () => {
    const world = new World()
    let isDown = false
    const process = world.process('p', { script: { f: 'hold' }, wrapStore: brittle(() => isDown, ['commit']) })
    const run = await process.start('steps: [{ id: a, run: f }]')
    isDown = true
    world.calls[0]?.resolve()
    await world.advanceBy(30_000)
    expect(process.troubles).toMatchObject([{ state: 'failing', message: expect.stringContaining('commit') as string }])
    isDown = false
    await world.runUntil(() => world.hasEnded(run))
    await world.advanceBy(5000)
    expect(process.troubles.map(({ state }) => state)).toEqual(['failing', 'recovered'])
  })

  it('that the next try makes up for is not told', async () => {
    const world = new World()
    let calls = 0
    const flicker = brittle(() => (calls += 1) % 20 === 0, ['dueRuns'])
    const process = world.process('p', { wrapStore: flicker })
    await world.advanceBy(600_000)
    expect(calls).toBeGreaterThan(1000)
    expect(process.troubles).toEqual([])
  })

  it('goes to the listener and the log; one that throws is told and forgotten [OBS-02, OBS-08]', () => {
    const lines: string[] = []
    const told: unknown[] = []
    const trouble = { state: 'recovered', failures: 4, since: '2026-01-01T00:00:00.000Z' } as const
    const onStoreTrouble = (one: unknown): void => {
      told.push(one)
      throw new Error('no')
    }
    const mask = (text: string): string => text.replaceAll('2026-01', '****-01')
    troubleTeller({ log: (line) => lines.push(line), onStoreTrouble }, mask)(trouble)
    expect(told).toEqual([trouble])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      event: 'store.trouble',
      failures: 4,
      since: '****-01-01T00:00:00.000Z',
    })
  })
})
