/** Migrations that are cut short, refused, or altered afterwards: the run goes on in one place, and its log tells where. */
import { describe, expect, it } from 'vitest'
import { explainSlot } from '../../src/app/views/explain-slot.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import { World } from '../fixtures/virtual-world.ts'
import { Both, through, callOf, TWO, MOVES } from '../fixtures/both-engines.ts'

describe('a run that nobody drives', () => {
  it('needs no pause and no drain: what was at work is owed again on the new engine', async () => {
    const world = new World()
    const dead = new Both(world, 'dead')
    const key = await dead.process.start(TWO)
    dead.process.kill()
    await world.advanceBy(20_000)
    const mover = new Both(world, 'mover')
    expect(await through(world, mover.migrate(key))).toMatchObject({ forced: false, again: ['a'], epoch: 2 })
    await world.runUntil(() => world.called().includes('a#1/2'))
    expect(world.log(key, ...MOVES)).toEqual(['EngineHandoff RUN#2'])
  })
})

describe('a migration that dies', () => {
  it('after the pause leaves a gate that the next one knows, and lifts at its end', async () => {
    const world = new World()
    const driver = new Both(world, 'driver')
    const key = await driver.process.start(TWO)
    const dying = new Both(world, 'dying')
    void dying.migrate(key).catch(() => undefined)
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    dying.process.kill()
    callOf(world, 'a#1/1').resolve()
    await world.advanceBy(5_000)
    expect(world.row(key)).toMatchObject({ status: 'PAUSED', engineType: 'embedded' })
    const { store, advancer } = driver.process
    const causes = await explainSlot(store, await advancer.current(key), 'b', world.time.now())
    expect(causes).toMatchObject([{ kind: 'run-paused', reason: 'migrate to temporal' }])
    expect(await through(world, new Both(world, 'next').migrate(key))).toMatchObject({ paused: false })
    await world.runUntil(() => world.called().includes('b#1/1'))
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', engineType: 'temporal' })
  })

  it('after the pause can be called off: a resume lets the run go on where it is', async () => {
    const world = new World()
    const driver = new Both(world, 'driver')
    const key = await driver.process.start(TWO)
    const dying = new Both(world, 'dying')
    void dying.migrate(key).catch(() => undefined)
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    dying.process.kill()
    await driver.process.signal(key, 'RESUME')
    callOf(world, 'a#1/1').resolve()
    await world.runUntil(() => world.called().includes('b#1/1'))
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', engineType: 'embedded', epoch: 1 })
  })

  it('after the hand-off leaves an inbox row, for which the new engine takes it up; the next one lifts the gate [P-22]', async () => {
    const world = new World()
    const driver = new Both(world, 'driver')
    const key = await driver.process.start(TWO)
    const dying = new Both(world, 'dying')
    dying.outside.onWant = () => dying.process.kill()
    void dying.migrate(key, { drainMs: 1_000, force: true }).catch(() => undefined)
    await world.runUntil(() => world.row(key).engineType === 'temporal')
    await world.advanceBy(5_000)
    const next = new Both(world, 'next')
    const at = { now: world.time.now(), forMs: 1_000 }
    expect(await next.process.store.stalledRuns('temporal', at, 10)).toMatchObject([{ runKey: key }])
    next.outside.wake(key)
    await world.runUntil(() => world.called().includes('a#1/2'))
    expect(await next.process.store.stalledRuns('temporal', at, 10)).toEqual([])
    expect(world.row(key).status).toBe('PAUSED')
    await through(world, next.migrate(key))
    await world.runUntil(() => world.row(key).status === 'RUNNING')
    expect(world.log(key, ...MOVES)).toEqual(['RunPaused RUN#1', 'EngineHandoff RUN#2', 'RunResumed RUN#1'])
  })
})

describe('it refuses, and changes nothing', () => {
  it('a run that has ended, or that is there already', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start('steps: [{ id: a, run: g }]')
    await world.runUntil(() => world.hasEnded(key))
    await expect(both.migrate(key)).rejects.toMatchObject({ code: 'RUN_TERMINAL' })
    const live = await both.process.start(TWO)
    await expect(both.migrate(live, { to: 'embedded' })).rejects.toMatchObject({ code: 'ENGINE_UNCHANGED' })
    expect(world.log(live, ...MOVES)).toEqual([])
  })

  it('a run that has not started', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const answer = await both.process.create(TWO, { admission: { policy: 'QUEUE', autoApprove: true } })
    await expect(both.migrate(answer.row.runKey)).rejects.toMatchObject({ code: 'RUN_NOT_RUNNING' })
  })

  it('an engine that cannot be reached, or that this process has not opened', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    both.outside.down = new KeelsonError([problem('TEMPORAL_CLIENT_NOT_CONNECTED', 'no answer')])
    await expect(both.migrate(key)).rejects.toMatchObject({ code: 'TEMPORAL_CLIENT_NOT_CONNECTED' })
    await expect(both.migrate(key, { to: 'conductor' })).rejects.toMatchObject({ code: 'ENGINE_NOT_OPEN' })
    await world.advanceBy(5_000)
    expect(world.log(key, ...MOVES)).toEqual([])
  })

  it('a run that is cancelled meanwhile: it ends where it is', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const refused = both.migrate(key)
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    await both.process.signal(key, 'CANCEL')
    await expect(through(world, refused)).rejects.toMatchObject({ code: 'RUN_TERMINAL' })
    expect(world.row(key)).toMatchObject({ status: 'CANCELLED', engineType: 'embedded' })
    expect(world.log(key, 'EngineHandoff')).toEqual([])
  })

  it('the second of two migrations at once', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    const other = new Both(world, 'two')
    const answers = [both.migrate(key), other.migrate(key)].map((one) =>
      one.then(
        () => 'moved',
        (thrown: KeelsonError) => thrown.code,
      ),
    )
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    callOf(world, 'a#1/1').resolve()
    await world.runUntil(() => world.called().includes('b#1/1'))
    await world.advanceBy(5_000)
    expect((await Promise.all(answers)).toSorted()).toEqual(['ENGINE_UNCHANGED', 'moved'])
    expect(world.log(key, 'EngineHandoff')).toEqual(['EngineHandoff RUN#2'])
  })
})

describe('verify', () => {
  it('finds a hand-off that tells of another engine, or of an epoch that is none of its own', async () => {
    const world = new World()
    const both = new Both(world, 'one')
    const key = await both.process.start(TWO)
    await through(world, both.migrate(key, { drainMs: 1_000, force: true }))
    const plan = await both.process.advancer.plans.get('local', world.row(key).planSha256)
    const altered = (change: Readonly<Record<string, unknown>>): unknown[] => {
      const records = world.records(key).map((record) => {
        if (record.eventType !== 'EngineHandoff') return record
        return { ...record, payload: { ...record.payload, ...change } }
      })
      return verifyDecisions(records, plan).differences.map(({ code, cause }) => `${code} ${cause}`)
    }
    expect(altered({})).toEqual([])
    expect(altered({ fromEngine: 'conductor' })).toEqual(['DECISION_MISMATCH handoff'])
    expect(altered({ epoch: 1 })).toContain('DECISION_MISMATCH handoff')
  })
})

it('the embedded engine never takes up a run of an outside engine, however it is asked', async () => {
  const world = new World()
  const both = new Both(world, 'one')
  const key = await both.process.start(TWO)
  callOf(world, 'a#1/1').resolve()
  await world.runUntil(() => world.called().includes('b#1/1'))
  await through(world, both.migrate(key, { drainMs: 1_000, force: true }))
  const third = world.process('third', { adoptOthers: true })
  await world.advanceBy(20_000)
  expect(await third.engine.adopt(key)).toBe(false)
  await third.engine.want(key)
  await world.advanceBy(20_000)
  expect(third.engine.drives(key)).toBe(false)
  expect(world.row(key).epoch).toBe(2)
  expect(world.row(key).lease?.owner).not.toBe('third')
})
