/** What the engine owes to others: it acts only under a lease that still runs, hears the bell, and answers the last inbox row. */
import { describe, expect, it } from 'vitest'
import { World } from '../../../../test/fixtures/virtual-world.ts'
import { signalRun } from '../../../app/signals/signal-run.ts'
import { KeelsonError, problem } from '../../../core/problems/problem.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { EmbeddedEngine } from './engine.ts'

const PLAN = `steps: [{ id: a, run: f }, { id: b, run: g }]`
const LEASE_MS = 2_000

/** A process that is stopped right after its next commit: what the store told it reaches it only when it is continued. */
function freezer() {
  let thawed = Promise.resolve()
  let thaw = (): void => undefined
  let isArmed = false
  const freeze = (): void => {
    isArmed = false
    thawed = new Promise((resolve) => {
      thaw = resolve
    })
  }
  return {
    freezeAtCommit: () => {
      isArmed = true
    },
    thaw: () => thaw(),
    wrap: (store: RunStore): RunStore =>
      new Proxy(store, {
        get: (target, name: keyof RunStore) => {
          const own = target[name]
          if (typeof own !== 'function') return own
          const call = own.bind(target) as (...args: readonly unknown[]) => Promise<unknown>
          return async (...args: readonly unknown[]) => {
            const answer = await call(...args)
            if (name === 'commit' && isArmed) freeze()
            await thawed
            return answer
          }
        },
      }),
  }
}

describe('a process that was stopped past its lease', () => {
  it('begins nothing that another has taken over, even if its own commit was made before', async () => {
    const world = new World()
    const ice = freezer()
    const options = { leaseMs: LEASE_MS, adoptOthers: true } as const
    const sleeper = world.process('sleeper', { ...options, script: { f: 'hold' }, wrapStore: ice.wrap })
    const key = await sleeper.start(PLAN)
    ice.freezeAtCommit()
    world.calls[0]?.resolve()
    await world.time.quiet()
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted b#1'])
    world.process('heir', options)
    await world.runUntil(() => world.hasEnded(key))
    ice.thaw()
    await world.advanceBy(LEASE_MS)
    expect(world.calls.filter(({ name }) => name === 'g').map(({ process }) => process)).toEqual(['heir'])
    expect(sleeper.engine.drivenRuns).toBe(0)
  })

  it('goes on by itself when nobody has taken its run', async () => {
    const world = new World()
    const ice = freezer()
    const sleeper = world.process('sleeper', { leaseMs: LEASE_MS, script: { f: 'hold' }, wrapStore: ice.wrap })
    const key = await sleeper.start(PLAN)
    ice.freezeAtCommit()
    world.calls[0]?.resolve()
    await world.advanceBy(3 * LEASE_MS)
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted b#1'])
    expect(world.called('g')).toEqual([])
    ice.thaw()
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called('g')).toEqual(['b#1/1'])
    expect(world.row(key)).toMatchObject({ status: 'COMPLETED', epoch: 1 })
  })
})

it('a signal that another process sent while the last commit was on its way is answered after the end [SIG-15]', async () => {
  const world = new World()
  const other = world.process('other')
  let sent = false
  const wrapStore = (store: RunStore): RunStore => ({
    ...store,
    commit: async (batch) => {
      if (!sent && batch.some(({ summary }) => summary.status === 'COMPLETED')) {
        sent = true
        const { tenantId, runId } = world.row(1)
        const request = { signalId: other.services.random.uuid(), signalType: 'PAUSE', payload: {} }
        const sender = { actorId: 'olga', actorRole: 'Admin', allowed: true }
        await signalRun(other.services, { tenantId, runId }, request, sender)
      }
      return store.commit(batch)
    },
  })
  const driver = world.process('driver', { wrapStore })
  const key = await driver.start(PLAN)
  await world.runUntil(() => world.hasEnded(key))
  await world.time.quiet()
  expect(sent).toBe(true)
  expect(world.log(key).slice(-2)).toEqual(['RunCompleted RUN#1', 'SignalRejected RUN#1'])
})

it('a signal that came between the last look into the inbox and the end is answered right after it [SIG-15]', async () => {
  const world = new World()
  const other = world.process('other')
  const sender = { actorId: 'olga', actorRole: 'Admin', allowed: true } as const
  const send = async (signalType: 'CANCEL' | 'PAUSE'): Promise<void> => {
    const { tenantId, runId } = world.row(1)
    const request = { signalId: other.services.random.uuid(), signalType, payload: { reason: 'no longer needed' } }
    await signalRun(other.services, { tenantId, runId }, request, sender)
  }
  let sent = false
  const wrapStore = (store: RunStore): RunStore => ({
    ...store,
    commit: async (batch) => {
      if (!sent && batch.some(({ summary }) => summary.status === 'CANCELLED')) {
        sent = true
        await send('PAUSE')
      }
      return store.commit(batch)
    },
  })
  const driver = world.process('driver', { wrapStore })
  const key = await driver.start(`steps: [{ id: a, dependsOn: [], wait: { forMs: 3600000 } }]`)
  await send('CANCEL')
  await world.runUntil(() => world.hasEnded(key))
  await world.time.quiet()
  expect(sent).toBe(true)
  expect(world.log(key).slice(-2)).toEqual(['RunCancelled RUN#1', 'SignalRejected RUN#1'])
})

it('asks nothing more about a run whose end was written where the inbox was empty [P-53]', async () => {
  const world = new World()
  let asked = 0
  const wrapStore = (store: RunStore): RunStore => ({
    ...store,
    readInbox: (runKey) => {
      if (world.hasEnded(runKey)) asked += 1
      return store.readInbox(runKey)
    },
  })
  const key = await world.process('driver', { wrapStore }).start(PLAN)
  await world.runUntil(() => world.hasEnded(key))
  await world.time.quiet()
  expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
  expect(asked).toBe(0)
})

describe('a bell', () => {
  function belled(world: World, pollMs: number) {
    const other = world.process('other', { script: { f: 'hold' } })
    const bells = new Set<() => void>()
    let looks = 0
    const store: RunStore = {
      ...other.store,
      dueRuns: (...args) => {
        looks += 1
        return other.store.dueRuns(...args)
      },
    }
    const driver = {
      advance: () => Promise.reject(new Error('not asked for')),
      adopt: () => Promise.reject(new Error('not asked for')),
      execute: () => Promise.reject(new Error('not asked for')),
    }
    const engine = new EmbeddedEngine({
      store,
      driver,
      clock: world.time,
      timers: world.time.timers(() => true),
      owner: 'belled',
      adoptOthers: false,
      pollMs,
      onWake: (listener) => {
        bells.add(listener)
        return () => void bells.delete(listener)
      },
    })
    const ring = (): void => {
      for (const bell of bells) bell()
    }
    return { engine, bells, ring, looks: () => looks }
  }

  it('makes the engine look before its next poll, and a hundred that ring during a look are one more [P-22]', async () => {
    const world = new World()
    const { ring, looks } = belled(world, 60_000)
    ring()
    await world.time.quiet()
    expect(looks()).toBe(1)
    for (let count = 0; count < 100; count += 1) ring()
    await world.time.quiet()
    expect(looks()).toBe(3)
  })

  it('is no longer heard by an engine that was stopped', async () => {
    const world = new World()
    const { engine, bells, ring, looks } = belled(world, 60_000)
    await engine.stop()
    expect(bells.size).toBe(0)
    ring()
    await world.time.quiet()
    expect(looks()).toBe(0)
  })
})

describe('a step that ends while the log is read again', () => {
  it('is not executed a second time because it still looks owed [P-10]', async () => {
    const world = new World()
    let isLost = false
    const wrapStore = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) => {
        const results = await store.commit(batch)
        if (isLost || world.calls.length < 2) return results
        isLost = true
        throw new KeelsonError([problem('STORE_UNAVAILABLE', 'the answer was lost')])
      },
      getRun: async (runKey) => {
        const row = await store.getRun(runKey)
        if (!isLost) return row
        // Its report lies there when the turn that found out what is owed comes to its end.
        world.calls.find(({ name }) => name === 'g')?.resolve()
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
        return row
      },
    })
    const process = world.process('p', { wrapStore, script: { f: 'hold', g: 'hold' } })
    const key = await process.start(`steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: g, dependsOn: [] }]`)
    await world.runUntil(() => world.calls.length === 2)
    world.calls.find(({ name }) => name === 'f')?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    expect(isLost).toBe(true)
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
  })
})
