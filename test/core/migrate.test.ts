/**
 * A live run changes engines: gate, drain, hand-off, start there, and every way in which that can be cut short. The embedded
 * engine and the store in memory under a virtual clock; the outside engine is a small one of the tests' own.
 */
import { describe, expect, it } from 'vitest'
import { Engines } from '../../src/app/engines.ts'
import { explainSlot } from '../../src/app/explain-slot.ts'
import { migrateRun, type Migration, type MigrateRequest } from '../../src/app/migrate-run.ts'
import { verifyDecisions } from '../../src/app/verify-decisions.ts'
import { EMBEDDED } from '../../src/adapters/engines/embedded/capabilities.ts'
import { TEMPORAL } from '../../src/adapters/engines/temporal/capabilities.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { OutsideEngine } from '../fixtures/outside-engine.ts'
import { World, type Call, type Process, type ProcessOptions } from '../fixtures/virtual-world.ts'

type Asked = Partial<Omit<MigrateRequest, 'row'>>

/** A process with both engines. */
class Both {
  readonly process: Process
  readonly outside: OutsideEngine
  readonly engines: Engines

  constructor(world: World, name: string, options: ProcessOptions = {}) {
    this.process = world.process(name, { script: { f: 'hold' }, ...options })
    const { store, engine } = this.process
    this.outside = new OutsideEngine(this.process, () => this.engines)
    const others = [{ capabilities: TEMPORAL, host: this.outside }]
    this.engines = new Engines(store, { capabilities: EMBEDDED, host: engine }, others)
  }

  migrate(key: RunKey, asked: Asked = {}): Promise<Migration> {
    const { services, advancer, name, world } = this.process
    const parts = { services, advancer, engines: this.engines, owner: name, isOwnerGone: () => false }
    return migrateRun(parts, { to: 'temporal', actorId: 'olga', ...asked, row: world.row(key) })
  }
}

/** The migration, and time for it. */
async function through(world: World, migration: Promise<Migration>): Promise<Migration> {
  let isDone = false
  migration.then(
    () => (isDone = true),
    () => (isDone = true),
  )
  await world.runUntil(() => isDone)
  return migration
}

function callOf(world: World, name: string): Call {
  const call = world.calls.find(
    ({ context }) => `${context.stepId}#${context.attempt}/${context.engineAttempt}` === name,
  )
  if (call === undefined) throw new Error(`no call ${name} in ${world.called().join()}`)
  return call
}

async function expectDerivable(world: World, { process }: Both, key: RunKey): Promise<void> {
  const plan = await process.advancer.plans.get(world.row(key).planSha256)
  const report = verifyDecisions(world.records(key), plan)
  expect(report.differences).toEqual([])
  expect(report.notDerivable).toEqual([])
  expect(report.rederived).toBe(report.decisions)
}

const TWO = 'steps: [{ id: a, run: f }, { id: b, run: f }]'
const MOVES = ['RunPaused', 'EngineHandoff', 'RunResumed']

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
})

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

  it('after the hand-off leaves a letter, for which the new engine takes it up; the next one lifts the gate [P-22]', async () => {
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
    const plan = await both.process.advancer.plans.get(world.row(key).planSha256)
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
