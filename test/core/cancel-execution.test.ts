/** Cancelling as executors see it: a signal for every call, one time limit beside it, and nothing held after the grace. */
import { getEventListeners } from 'node:events'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { untilTimeIsUp, watchTime } from '../../src/app/execute/attempt-time.ts'
import { createRunDriver } from '../../src/app/engines/run-driver.ts'
import type { Effect } from '../../src/core/run/effect.ts'
import type { StepContext, StepFunction } from '../../src/ports/step-handlers.ts'
import { checkCancel } from '../../src/testing/steps/check-cancel.ts'
import { World } from '../fixtures/virtual-world.ts'

const EVERY_KIND = `
policy: { retry: { maxAttempts: 1 } }
steps:
  - { id: a, run: ok, compensate: { run: undo } }
  - { id: items, forEach: "input.list", run: ok }
  - { id: b, run: bad, fallback: { run: instead } }
  - { id: c, run: bad }`

describe('every call', () => {
  it('is given a signal: steps, items, fallbacks and compensations alike [CAN-02]', async () => {
    expectTypeOf<StepContext['signal']>().toEqualTypeOf<AbortSignal>()
    expectTypeOf<Parameters<StepFunction>[1]>().toEqualTypeOf<StepContext>()
    const world = new World()
    const bad = (): never => {
      throw new TypeError('no')
    }
    const process = world.process('only', { script: { bad } })
    const key = await process.start(EVERY_KIND, { input: { list: [1, 2] } })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.calls.map(({ name }) => name)).toEqual(['ok', 'ok', 'ok', 'bad', 'instead', 'bad', 'undo'])
    for (const { context } of world.calls) expect(context.signal).toBeInstanceOf(AbortSignal)
    expect(new Set(world.calls.map(({ context }) => context.signal)).size).toBe(world.calls.length)
  })

  it('is not made under a signal that is aborted already: no work, an AbortError at once [CAN-05]', async () => {
    const world = new World()
    const process = world.process('only')
    const { row, effects } = await opened(process)
    const driver = createRunDriver(process.services, process.advancer)
    const report = await driver.execute(row, effects, AbortSignal.abort())
    expect(world.calls).toEqual([])
    expect(report?.result).toMatchObject({ kind: 'failed', aborted: 'cancel', thrown: { name: 'AbortError' } })
  })

  it('has a time limit of its own beside the signal, and either ends it [CAN-06]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const plan = `policy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f, timeoutMs: 30000 }]`
    const timed = await process.start(plan)
    await world.advanceBy(29_999)
    expect(world.calls[0]?.context.signal.aborted).toBe(false)
    await world.advanceBy(1)
    expect(world.calls[0]?.context.signal.aborted).toBe(true)
    expect(world.row(timed)).toMatchObject({ status: 'FAILED', errorCode: 'TIMEOUT' })

    const cancelled = await process.start(plan)
    await world.advanceBy(1000)
    await process.signal(cancelled, 'CANCEL')
    const { signal } = world.calls[1]?.context ?? {}
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: 'AbortError' })
    await world.advanceBy(5000)
    expect(world.row(cancelled).status).toBe('CANCELLED')
  })
})

/** A run whose first effect nobody has carried out yet. */
async function opened(process: ReturnType<World['process']>): Promise<{ row: number; effects: Effect }> {
  const answer = await process.create(`steps: [{ id: a, run: f }]`)
  const effect = answer.kind === 'started' ? answer.report.effects[0] : undefined
  if (effect === undefined) throw new Error('nothing was opened')
  return { row: answer.row.runKey, effects: effect }
}

describe('ten thousand attempts under one signal', () => {
  const world = new World()
  const timers = world.time.timers(() => true)

  it('each hear of its abort and its reason, also one that was aborted before [CAN-08]', () => {
    const parent = new AbortController()
    const children = Array.from({ length: 10_000 }, () => watchTime(timers, 1000, parent.signal))
    const reason = new Error('stop')
    parent.abort(reason)
    expect(children.every(({ signal }) => signal.aborted && signal.reason === reason)).toBe(true)
    const late = watchTime(timers, 1000, parent.signal)
    expect([late.signal.aborted, late.signal.reason, late.aborted()]).toEqual([true, reason, 'cancel'])
    expect(getEventListeners(parent.signal, 'abort')).toEqual([])
  })

  it('leave no listener and no timer behind once they are over [CAN-08]', async () => {
    const parent = new AbortController()
    const attempts = Array.from({ length: 10_000 }, async (_, index) => {
      const time = watchTime(timers, 1000, parent.signal)
      try {
        const work = index % 2 === 0 ? Promise.resolve(index) : Promise.reject(new Error('no'))
        await untilTimeIsUp(work, time.limit)
      } catch {
        // Half of them fail, and must leave as little.
      } finally {
        time.stop()
      }
      return getEventListeners(time.signal, 'abort').length
    })
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(10_000)
    expect((await Promise.all(attempts)).every((left) => left === 0)).toBe(true)
    expect(getEventListeners(parent.signal, 'abort')).toEqual([])
    expect(world.time.next()).toBeUndefined()
  })
})

describe('a step that does not stop', () => {
  it('gives its place in the process back after the grace, and its result is recorded when it comes [CAN-04, X-31]', async () => {
    const world = new World()
    const process = world.process('only', { script: { stubborn: 'hold' }, maxSteps: 1 })
    const first = await process.start(`steps: [{ id: a, run: stubborn }]`)
    const second = await process.start(`steps: [{ id: b, run: f }]`)
    await process.signal(first, 'CANCEL')
    await world.advanceBy(4999)
    expect(world.called()).toEqual(['a#1/1'])
    await world.advanceBy(1)
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
    await world.runUntil(() => world.hasEnded(second))
    expect([world.row(first).status, world.row(second).status]).toEqual(['CANCELLED', 'COMPLETED'])
    world.calls[0]?.resolve('late')
    await world.time.quiet()
    expect(world.log(first).at(-1)).toBe('LateOutcomeRecorded a#1')
    const third = await process.start(`steps: [{ id: c, run: f }, { id: d, run: f }]`)
    await world.runUntil(() => world.hasEnded(third))
    expect(world.called().slice(2)).toEqual(['c#1/1', 'd#1/1'])
  })
})

describe('stopping in good time', () => {
  it('is within 100 ms of the signal; the check tells who does from who does not [CAN-12]', async () => {
    const polite: StepFunction = (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    expect(await checkCancel(polite)).toMatchObject({ ok: true })
    expect(await checkCancel(() => new Promise(() => undefined))).toEqual({ ok: false })
    const { reactedMs = Infinity } = await checkCancel(polite)
    expect(reactedMs).toBeLessThan(100)
  })

  it('leaves the last records two seconds more, and a second cancel changes nothing [CAN-12]', async () => {
    const world = new World()
    const timers = world.time.timers(() => true)
    let slow = false
    const process = world.process('only', {
      script: { f: 'hold' },
      wrapStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name)
            if (name !== 'commit' || !slow) return typeof value === 'function' ? value.bind(target) : value
            return async (...args: Parameters<typeof store.commit>) => {
              await new Promise<void>((resolve) => void timers.after(2000, resolve))
              return target.commit(...args)
            }
          },
        }),
    })
    const key = await process.start(`steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }]`)
    await process.signal(key, 'CANCEL')
    slow = true
    await world.advanceBy(6999)
    expect(world.row(key).status).toBe('RUNNING')
    await world.advanceBy(1)
    slow = false
    expect(world.log(key).slice(-3)).toEqual(['StepFailed a#1', 'StepFailed b#1', 'RunCancelled RUN#1'])
    await process.signal(key, 'CANCEL')
    await process.advancer.advance(key)
    expect(world.row(key).status).toBe('CANCELLED')
    expect(world.log(key).filter((line) => line.startsWith('RunCancelled'))).toHaveLength(1)
    expect(world.log(key, 'StepFailed')).toHaveLength(2)
  })
})
