/**
 * A live run changes engines: gate, drain, hand-off, start there, and every way in which that can be cut short. The embedded
 * engine and the store in memory under a virtual clock; the outside engine is a small one of the tests' own.
 */
import { describe, expect, it } from 'vitest'
import { World } from '../fixtures/virtual-world.ts'
import { Both, through, callOf, expectDerivable, TWO, MOVES } from '../fixtures/both-engines.ts'

describe('a run that is driven', () => {
  it('is paused, drained, handed over under the next epoch, and goes on there; and back [P-20, P-27]', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const there = both.migrate(key)
    await world.advanceBy(1_000)
    expect(world.row(key)).toMatchObject({ status: 'PAUSED', engineType: 'embedded', epoch: 1 })
    callOf(world, 'a#1/1').resolve()
    expect(await through(world, there)).toMatchObject({
      from: 'embedded',
      to: 'temporal',
      epoch: 2,
      forced: false,
      again: [],
    })
    await world.runUntil(() => world.called().includes('b#1/1'))
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', engineType: 'temporal', epoch: 2 })
    expect(both.process.engine.drives(key)).toBe(false)

    const back = both.migrate(key, { to: 'embedded' })
    await world.advanceBy(1_000)
    callOf(world, 'b#1/1').resolve()
    expect(await through(world, back)).toMatchObject({ from: 'temporal', to: 'embedded', epoch: 3 })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
    expect(world.log(key, ...MOVES)).toEqual([
      'RunPaused RUN#1',
      'EngineHandoff RUN#2',
      'RunResumed RUN#1',
      'RunPaused RUN#2',
      'EngineHandoff RUN#3',
      'RunResumed RUN#2',
    ])
    const pinned = world.records(key).filter(({ eventType }) => eventType === 'EngineHandoff')
    expect(pinned.map(({ payload }) => payload)).toMatchObject([
      { fromEngine: 'embedded', toEngine: 'temporal', maxInFlight: 500, epoch: 2 },
      { fromEngine: 'temporal', toEngine: 'embedded', maxInFlight: 10_000, epoch: 3 },
    ])
    await expectDerivable(world, both, key)
  })

  it('stays where it is, and is resumed, when its steps are not done in time', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const refused = both.migrate(key, { drainMs: 2_000 })
    await expect(through(world, refused)).rejects.toMatchObject({ code: 'RUN_NOT_DRAINED' })
    await world.runUntil(() => world.row(key).status === 'RUNNING')
    expect(world.row(key)).toMatchObject({ engineType: 'embedded', epoch: 1 })
    expect(world.log(key, ...MOVES)).toEqual(['RunPaused RUN#1', 'RunResumed RUN#1'])
    callOf(world, 'a#1/1').resolve()
    await world.runUntil(() => world.called().includes('b#1/1'))
  })

  it('goes with its steps at work when forced: they run again there, and what comes late is refused [P-27]', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const forced = both.migrate(key, { drainMs: 2_000, force: true })
    expect(await through(world, forced)).toMatchObject({ epoch: 2, forced: true, again: ['a'] })
    await world.runUntil(() => world.called().includes('a#1/2'))
    callOf(world, 'a#1/1').resolve('old')
    await world.advanceBy(1_000)
    both.engines.wake(key)
    await world.advanceBy(1_000)
    expect(world.log(key, 'LateOutcomeRecorded', 'StepCompleted')).toEqual(['LateOutcomeRecorded a#1'])
    callOf(world, 'a#1/2').resolve('new')
    await world.runUntil(() => world.called().includes('b#1/1'))
    const completed = world.records(key).find(({ eventType }) => eventType === 'StepCompleted')
    expect(completed).toMatchObject({ engineAttemptId: 2, data: { result: 'new' } })
    const handoff = world.records(key).find(({ eventType }) => eventType === 'EngineHandoff')
    expect(handoff?.payload).toMatchObject({ forced: true })
    await expectDerivable(world, both, key)
  })

  it('holds an irreversible attempt that was begun when it is forced over: nobody repeats it [P-28]', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start('steps: [{ id: a, run: f, effect: irreversible }, { id: b, run: f }]')
    await through(world, both.migrate(key, { drainMs: 2_000, force: true }))
    await world.runUntil(() => world.row(key).status === 'RUNNING')
    expect(world.called()).toEqual(['a#1/1'])
    const failed = world.records(key).find(({ eventType }) => eventType === 'StepFailed')
    expect(failed?.payload).toMatchObject({ error: { code: 'INDETERMINATE' } })
    await expectDerivable(world, both, key)
  })

  it('is let go of by a driver in another process, which learns it from the epoch [I9]', async () => {
    const world = new World()
    const driver = new Both(world, 'driver', { adoptOthers: true })
    const mover = new Both(world, 'mover')
    const key = await driver.process.start(TWO)
    await through(world, mover.migrate(key, { drainMs: 2_000, force: true }))
    await world.advanceBy(20_000)
    expect(driver.process.lost).toMatchObject([{ runKey: key, problem: { code: 'RUN_EPOCH_STALE' } }])
    expect(driver.process.engine.drives(key)).toBe(false)
    expect(world.row(key)).toMatchObject({ engineType: 'temporal', epoch: 2 })
  })

  it('keeps the units it holds: the hand-off frees none, and none is claimed twice [P-18]', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    await both.process.store.putPool({ pool: 'resource:gpu', capacity: 1 })
    const key = await both.process.start('steps: [{ id: a, run: f, resources: { gpu: 1 } }]')
    const units = async (): Promise<unknown> =>
      (await both.process.store.listPools()).find(({ pool }) => pool === 'resource:gpu')?.used
    await world.runUntil(() => world.called().includes('a#1/1'))
    expect(await units()).toBe(1)
    await through(world, both.migrate(key, { drainMs: 1_000, force: true }))
    await world.runUntil(() => world.called().includes('a#1/2'))
    expect(await units()).toBe(1)
    callOf(world, 'a#1/2').resolve()
    await world.runUntil(() => world.hasEnded(key))
    expect(await units()).toBe(0)
  })
})

describe('what waits for others than the engine goes on after the hand-off', () => {
  it('a retry that is due later, and items of a forEach that had not begun', async () => {
    const world = new World()
    const both = new Both(world, 'one', {
      script: {
        f: 'hold',
        flaky: (call) => {
          if (call.context.attempt === 1) throw new Error('once')
          return null
        },
      },
    })
    const key = await both.process.start(
      `
policy: { concurrency: 2 }
steps:
  - { id: again, run: flaky, dependsOn: [], retry: { maxAttempts: 2, initialBackoffMs: 30000 } }
  - { id: each, run: f, dependsOn: [], forEach: 'input.xs' }
`,
      { input: { xs: [1, 2, 3] } },
    )
    await world.runUntil(() => world.log(key, 'StepFailed').length === 1)
    await world.runUntil(() => world.calls.filter(({ name }) => name === 'f').length >= 1)
    const there = both.migrate(key)
    await world.advanceBy(1_000)
    for (const call of world.calls) if (call.name === 'f') call.resolve()
    await through(world, there)
    for (let left = 3; left > 0; left -= 1) {
      await world.advanceBy(1_000)
      for (const call of world.calls) if (call.name === 'f') call.resolve()
    }
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key)).toMatchObject({ status: 'COMPLETED', engineType: 'temporal' })
    expect(world.called('flaky')).toEqual(['again#1/1', 'again#2/1'])
    await expectDerivable(world, both, key)
  })

  it('a child run, which stays on its engine and tells its parent all the same [P-29]', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    await both.process.publish('plan: inner\nversion: 1.0.0\nsteps: [{ id: x, run: f }]')
    const key = await both.process.start('steps: [{ id: kid, plan: { planId: inner } }, { id: b, run: g }]')
    await world.runUntil(() => world.called().includes('x#1/1'))
    await through(world, both.migrate(key))
    await world.advanceBy(2_000)
    expect(world.row(key + 1)).toMatchObject({ engineType: 'embedded', status: 'RUNNING' })
    callOf(world, 'x#1/1').resolve()
    await world.runUntil(() => world.hasEnded(key + 1))
    both.engines.wake(key)
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key)).toMatchObject({ status: 'COMPLETED', engineType: 'temporal' })
    await expectDerivable(world, both, key)
  })
})

describe('a pause', () => {
  it('that somebody else made stays', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    await both.process.signal(key, 'PAUSE', { reason: 'lunch' })
    callOf(world, 'a#1/1').resolve()
    expect(await through(world, both.migrate(key))).toMatchObject({ paused: true })
    await world.advanceBy(5_000)
    expect(world.row(key)).toMatchObject({ status: 'PAUSED', engineType: 'temporal' })
    expect(world.log(key, 'RunResumed')).toEqual([])
  })

  it('that somebody lifts during the drain keeps the run from being handed over', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const refused = both.migrate(key, { drainMs: 5_000 })
    await world.advanceBy(1_000)
    await both.process.signal(key, 'RESUME')
    callOf(world, 'a#1/1').resolve()
    await expect(through(world, refused)).rejects.toMatchObject({ code: 'RUN_NOT_DRAINED' })
    expect(world.row(key)).toMatchObject({ engineType: 'embedded' })
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
  })
  it.each([
    ['a person', 'lunch'],
    ['the migration before', 'migrate to embedded'],
  ])('of %s that is lifted during the drain is followed by one of its own', async (_, reason) => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    await both.process.signal(key, 'PAUSE', { reason })
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    const there = both.migrate(key)
    await both.process.signal(key, 'RESUME')
    await world.runUntil(() => world.log(key, 'RunPaused').length === 2)
    callOf(world, 'a#1/1').resolve()
    expect(await through(world, there)).toMatchObject({ paused: false, forced: false })
    await world.runUntil(() => world.row(key).status === 'RUNNING')
    expect(world.row(key)).toMatchObject({ engineType: 'temporal', epoch: 2 })
    expect(world.log(key, ...MOVES)).toEqual([
      'RunPaused RUN#1',
      'RunResumed RUN#1',
      'RunPaused RUN#2',
      'EngineHandoff RUN#2',
      'RunResumed RUN#2',
    ])
    await expectDerivable(world, both, key)
  })
})
