/** Runs that only wait: no process keeps them, the boot folds none, and each is back when its time or an inbox row comes. */
import { beforeEach, describe, expect, it } from 'vitest'
import { completeTask, listTasks } from '../../src/app/steer/manual-tasks.ts'
import type { RunKey, RunStore } from '../../src/ports/run-store.ts'
import { countingStore, type CountingStore } from '../fixtures/counting-store.ts'
import { World, type Process, type ProcessOptions } from '../fixtures/virtual-world.ts'

const POLL_MS = 500
const HOUR_MS = 3_600_000
const READS = ['readEvents', 'getCheckpoint'] as const

const waiting = (ms: number): string => `
plan: waits-${ms}
version: 1.0.0
steps: [{ id: pause, wait: { forMs: ${ms} } }, { id: after, run: f }]`

let world: World
let counted: CountingStore

beforeEach(() => {
  world = new World()
})

/** Adopts what is due, as servers and workers do, through a store that counts. */
function worker(name: string, options: ProcessOptions = {}): Process {
  const wrapStore = (store: RunStore): RunStore => (counted = countingStore(store)).store
  return world.process(name, { adoptOthers: true, pollMs: POLL_MS, wrapStore, ...options })
}

async function startMany(process: Process, plans: readonly string[], count: number): Promise<readonly RunKey[]> {
  const keys: RunKey[] = []
  for (let index = 0; index < count; index += 1) {
    const answer = await process.create(plans[index % plans.length] ?? '')
    if (answer.kind === 'started') process.engine.drive(answer.row.runKey, answer.report)
    keys.push(answer.row.runKey)
  }
  return keys
}

describe('a thousand runs that wait', () => {
  it('are held by nobody, cost no store call but the look for due ones, and each goes on at its time [P-25]', async () => {
    const process = worker('only')
    const spans = [60_000, 70_000, 80_000]
    const began = world.time.now()
    const keys = await startMany(process, spans.map(waiting), 1_000)
    await world.advanceBy(6_000)
    expect(process.engine.drivenRuns).toBe(0)
    counted.reset()
    await world.advanceBy(50_000)
    expect(counted.count(...READS, 'acquireLease', 'releaseLease', 'commit', 'getRun')).toBe(0)
    expect(counted.count('dueRuns')).toBe(50_000 / POLL_MS)
    await world.runUntil(() => keys.every((key) => world.hasEnded(key)))
    for (const [index, key] of keys.entries()) {
      const done = world.records(key).find(({ eventType }) => eventType === 'StepCompleted')
      const late = Date.parse(done?.emittedAt ?? '') - began - (spans[index % 3] ?? 0)
      expect(late).toBeGreaterThanOrEqual(0)
      expect(late).toBeLessThanOrEqual(2 * POLL_MS)
    }
    expect(world.called('f')).toEqual(Array.from({ length: 1_000 }, () => 'after#1/1'))
    expect(process.lost).toEqual([])
  })

  it('are not kept until a poll comes round: beyond a few hundred the oldest go at once', async () => {
    const process = worker('only', { pollMs: HOUR_MS })
    await startMany(process, [waiting(2 * HOUR_MS)], 1_000)
    await world.time.quiet()
    expect(process.engine.drivenRuns).toBeGreaterThan(0)
    expect(process.engine.drivenRuns).toBeLessThan(300)
  })
})

describe('the boot of a process', () => {
  it('with 2,000 waiting runs folds none of them, and then the one that is due and no other [P-25]', async () => {
    const before = worker('before')
    const [due] = await startMany(before, [waiting(120_000)], 1)
    await startMany(before, [waiting(HOUR_MS)], 1_999)
    await before.engine.stop()
    before.kill()
    await world.advanceBy(100_000)
    const after = worker('after')
    await world.advanceBy(19_000)
    expect(counted.count(...READS, 'getRun', 'acquireLease', 'commit')).toBe(0)
    expect(after.engine.drivenRuns).toBe(0)
    await world.advanceBy(1_000 + POLL_MS)
    expect(world.hasEnded(due ?? 0)).toBe(true)
    expect(counted.count('acquireLease')).toBe(1)
    expect(counted.count('readEvents')).toBeLessThanOrEqual(2)
    expect(world.disk.runs.filter(({ row }) => row.epoch > 1)).toHaveLength(1)
  })

  it('takes up more due runs than one page holds without waiting for a poll for each page [P-22]', async () => {
    const before = worker('before')
    const keys = await startMany(before, [waiting(60_000)], 350)
    await before.engine.stop()
    before.kill()
    await world.advanceBy(60_000)
    worker('after')
    await world.advanceBy(POLL_MS)
    expect(keys.filter((key) => !world.hasEnded(key))).toEqual([])
  })
})

describe('a run that lies still', () => {
  const lyingStill = async (process: Process, plan = waiting(HOUR_MS)): Promise<RunKey> => {
    const key = await process.start(plan)
    await world.advanceBy(6_000)
    expect(process.engine.drivenRuns).toBe(0)
    return key
  }

  it('takes a signal of its own process at once, and one of another within a second [P-22]', async () => {
    const process = worker('only')
    const key = await lyingStill(process)
    await process.signal(key, 'PAUSE')
    expect(world.row(key).status).toBe('PAUSED')
    await world.advanceBy(6_000)
    expect(process.engine.drivenRuns).toBe(0)
    const other = world.process('command line')
    await other.signal(key, 'CANCEL')
    expect(world.row(key).status).toBe('PAUSED')
    await world.advanceBy(1_000)
    expect(world.row(key).status).toBe('CANCELLED')
  })

  it('goes on when a person has completed its task', async () => {
    const process = worker('only')
    const keys = { current: async () => KEY, find: async () => KEY }
    const key = await lyingStill(process, 'steps: [{ id: sign, manual: { title: Sign it } }, { id: after, run: f }]')
    const [task] = await listTasks(process.services.store, keys, await process.advancer.current(key))
    await completeTask(process.services, process.advancer, keys, world.row(key), {
      completionToken: task?.token ?? '',
      outcome: 'Succeeded',
      actorUserId: 'maria',
    })
    await world.advanceBy(1_000)
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called()).toEqual(['after#1/1'])
  })

  it('still tells those who wait for its end, whoever took it up', async () => {
    const process = worker('first')
    const [mine, theirs] = [await process.start(waiting(60_000)), await process.start(waiting(HOUR_MS))]
    const ends: string[] = []
    for (const key of [mine, theirs]) void process.engine.ended(key).then(({ status }) => ends.push(status))
    await world.advanceBy(16_000)
    expect(process.engine.drivenRuns).toBe(0)
    const second = world.process('second')
    expect(await second.engine.adopt(theirs)).toBe(true)
    await second.signal(theirs, 'CANCEL')
    await world.advanceBy(POLL_MS)
    expect(ends).toEqual(['CANCELLED'])
    await world.advanceBy(60_000)
    expect(ends).toEqual(['CANCELLED', 'COMPLETED'])
  })

  it('is taken up at its time by another process when the one that let it go is gone', async () => {
    const process = worker('first')
    const key = await lyingStill(process, waiting(60_000))
    process.kill()
    const second = worker('second')
    await world.advanceBy(54_000 + POLL_MS)
    expect(world.hasEnded(key)).toBe(true)
    expect(world.calls.map((call) => call.process)).toEqual([second.name])
  })

  it('is under no lease once its process has stopped', async () => {
    const process = worker('first')
    const key = await lyingStill(process)
    expect(world.row(key).lease?.owner).toBe('first')
    await process.engine.stop()
    expect(world.row(key).lease).toBeUndefined()
  })
})

describe('a run is kept', () => {
  it('while a step of it is at work, under a lease that never runs out and is renewed only when it must be', async () => {
    const process = worker('first', { script: { slow: 'hold' } })
    const key = await process.start('steps: [{ id: a, run: slow }]')
    counted.reset()
    for (let second = 0; second < 60; second += 1) {
      await world.advanceBy(1_000)
      expect(world.row(key).lease?.until ?? 0).toBeGreaterThan(world.time.now() + 2 * POLL_MS)
    }
    expect(process.engine.drivenRuns).toBe(1)
    expect(counted.count('acquireLease')).toBeLessThanOrEqual(60_000 / 3_000)
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).epoch).toBe(1)
  })

  it('while its child run is at work, which is let go itself when it waits [P-29]', async () => {
    const process = worker('first')
    await process.publish(waiting(60_000))
    const parent = await process.start('steps: [{ id: call, plan: { planId: waits-60000 } }]')
    await world.advanceBy(10_000)
    expect(process.engine.drivenRuns).toBe(1)
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.disk.runs.map(({ row }) => [row.status, row.epoch])).toEqual([
      ['COMPLETED', 1],
      ['COMPLETED', 2],
    ])
  })

  it('when it is due soon, and by a process that takes up no others until it ends [P-30]', async () => {
    const process = worker('first')
    const soon = await process.start(waiting(4_000))
    const alone = world.process('alone', { pollMs: POLL_MS })
    const own = await alone.start(waiting(60_000))
    await world.advanceBy(3_900)
    expect(process.engine.drivenRuns).toBe(1)
    await world.advanceBy(20_000)
    expect(alone.engine.drivenRuns).toBe(1)
    await world.runUntil(() => world.hasEnded(own))
    expect([world.row(soon).epoch, world.row(own).epoch]).toEqual([1, 1])
  })
})

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
