/**
 * What spans runs, seen from outside: limits of agents and resources hold over all runs and processes, nobody waits for
 * ever, and what waits says for what (protocol P-18 … P-20; docs/adr/0002-grants.md).
 */
import { describe, expect, it } from 'vitest'
import type { RunKey } from '../../src/ports/run-store.ts'
import { AtWork } from '../fixtures/at-work.ts'
import { World } from '../fixtures/virtual-world.ts'
import { wide, start, declare, ended, nothingHeld } from '../fixtures/granted-runs.ts'

describe('agents', () => {
  it('have three steps at work at once over all runs, unless told otherwise, and freed places are used [SCH-02, SCH-14]', async () => {
    const world = new World()
    const work = new AtWork()
    const process = world.process('p', {
      script: { work: work.working(1000, ({ input }) => [String((input as { by: string }).by)]) },
    })
    await declare(process, { pool: 'agent:x', capacity: 1 })
    const plan = `
policy: { concurrency: 100 }
steps:
${Array.from({ length: 10 }, (_, index) => `  - { id: x${index}, run: work, with: { by: x }, dependsOn: [], agent: x }`).join('\n')}
${Array.from({ length: 10 }, (_, index) => `  - { id: y${index}, run: work, with: { by: y }, dependsOn: [], agent: y }`).join('\n')}
${Array.from({ length: 10 }, (_, index) => `  - { id: z${index}, run: work, with: { by: nobody }, dependsOn: [] }`).join('\n')}`
    const first = await start(process, plan)
    const second = await start(process, plan)
    await ended(world, first, second)
    expect([work.most('x'), work.most('y')]).toEqual([1, 3])
    expect(work.most('nobody')).toBe(20)
    await nothingHeld(process)
  })

  it('are claimed with StepStarted, which records it, and freed by the end of each attempt: in a backoff others run [P-18, RES-07]', async () => {
    const world = new World()
    let mapped = 0
    const process = world.process('p', {
      script: {
        flaky: ({ context, input }) => {
          mapped += (input as { n: number }).n
          if (context.attempt === 1) throw new Error('not yet')
        },
        work: () => null,
      },
    })
    await declare(process, { pool: 'resource:db', capacity: 1 })
    const flaky = await start(
      process,
      `steps: [{ id: a, run: flaky, with: { n: 1 }, resources: { db: 1 }, retry: { maxAttempts: 2, initialBackoffMs: 30000 } }]`,
    )
    const other = await start(process, `steps: [{ id: b, run: work, resources: { db: 1 } }]`)
    await world.advanceBy(1000)
    expect(world.row(other).status).toBe('COMPLETED')
    expect(world.log(flaky, 'StepStarted', 'StepFailed')).toEqual(['StepStarted a#1', 'StepFailed a#1'])
    await ended(world, flaky)
    expect(world.records(flaky).find((one) => one.eventType === 'StepStarted')?.payload).toMatchObject({
      grants: { 'resource:db': 1 },
    })
    expect(mapped).toBe(2)
    await nothingHeld(process)
  })
})

describe('resources', () => {
  it('are never given to two at once, whichever process drives, and all get their turn [RES-01, RES-05, SCH-07]', async () => {
    const world = new World()
    const work = new AtWork()
    const processes = ['p', 'q', 'r'].map((name) => world.process(name, { script: { work: work.working(700) } }))
    const [first] = processes
    if (first === undefined) return
    await declare(first, { pool: 'resource:printer', capacity: 1 })
    const keys: RunKey[] = []
    for (const process of processes) keys.push(await start(process, wide(4, 'resources: { printer: 1 }')))
    await ended(world, ...keys)
    expect(work.most()).toBe(1)
    expect(work.order).toHaveLength(12)
    await nothingHeld(first)
  })

  it('of two kinds are taken together or not at all: crossing requests end, and sums stay within bounds [RES-05, X-75]', async () => {
    const world = new World()
    const work = new AtWork()
    const process = world.process('p', {
      script: { work: work.working(500, ({ input }) => (input as { names: string[] }).names) },
    })
    await declare(process, { pool: 'resource:a', capacity: 1 }, { pool: 'resource:b', capacity: 1 })
    const plan = (order: string): string => `
policy: { concurrency: 50 }
steps:
${Array.from({ length: 6 }, (_, index) => `  - { id: s${index}, run: work, dependsOn: [], resources: ${order}, with: { names: [a, b] } }`).join('\n')}`
    const keys = [await start(process, plan('{ a: 1, b: 1 }')), await start(process, plan('{ b: 1, a: 1 }'))]
    await ended(world, ...keys)
    expect([work.most('a'), work.most('b')]).toEqual([1, 1])
  })

  it('that are taken do not stop steps that need others or none [SCH-06]', async () => {
    const world = new World()
    const process = world.process('p', { script: { hold: 'hold', work: () => null } })
    await declare(process, { pool: 'resource:big', capacity: 3 })
    const holder = await start(process, `steps: [{ id: h, run: hold, resources: { big: 2 } }]`)
    const mixed = await start(
      process,
      `
steps:
  - { id: a, run: work, dependsOn: [], resources: { big: 3 } }
  - { id: b, run: work, dependsOn: [], resources: { big: 1 } }
  - { id: c, run: work, dependsOn: [] }`,
    )
    await world.advanceBy(2000)
    expect(world.called('work')).toEqual(expect.arrayContaining(['b#1/1', 'c#1/1']))
    expect(world.log(mixed, 'StepStarted')).not.toContain('StepStarted a#1')
    world.calls.find((call) => call.name === 'hold')?.resolve()
    await ended(world, holder, mixed)
  })

  it('that are not declared, or too small, refuse the run before it starts [RES-06]', async () => {
    const world = new World()
    const process = world.process('p')
    await declare(process, { pool: 'resource:db', capacity: 3 })
    await expect(start(process, `steps: [{ id: a, run: f, resources: { tape: 1 } }]`)).rejects.toMatchObject({
      code: 'RESOURCE_UNKNOWN',
    })
    await expect(start(process, `steps: [{ id: a, run: f, resources: { db: 5 } }]`)).rejects.toMatchObject({
      code: 'RESOURCE_EXCEEDED',
    })
    expect(world.disk.runs).toHaveLength(0)
  })

  it('that shrink below what a step wants fail it at once instead of leaving it to wait [RES-06]', async () => {
    const world = new World()
    const process = world.process('p', { script: { slow: 'hold' } })
    await declare(process, { pool: 'resource:db', capacity: 3 })
    const key = await start(
      process,
      `steps: [{ id: a, run: slow }, { id: b, run: f, resources: { db: 2 }, retry: { maxAttempts: 1 } }]`,
    )
    await declare(process, { pool: 'resource:db', capacity: 1 })
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key)).toMatchObject({ status: 'FAILED', errorCode: 'RESOURCE_EXCEEDED' })
    expect(world.called('f')).toEqual([])
  })

  it('that shrink below what a waiting step wants fail it within a second, and let others pass [RES-06, P-19]', async () => {
    const world = new World()
    const process = world.process('p', { script: { slow: 'hold' } })
    await declare(process, { pool: 'resource:db', capacity: 3 })
    const holder = await start(process, `steps: [{ id: a, run: slow, resources: { db: 3 } }]`)
    const large = await start(process, `steps: [{ id: b, run: f, resources: { db: 2 }, retry: { maxAttempts: 1 } }]`)
    const small = await start(process, `steps: [{ id: c, run: f, resources: { db: 1 } }]`)
    await world.advanceBy(5000)
    expect([world.row(large).status, world.called('f')]).toEqual(['RUNNING', []])
    await declare(process, { pool: 'resource:db', capacity: 1 })
    await world.advanceBy(1000)
    expect(world.row(large)).toMatchObject({ status: 'FAILED', errorCode: 'RESOURCE_EXCEEDED' })
    expect(world.disk.grants.waits.size).toBe(1)
    world.calls[0]?.resolve()
    await ended(world, holder, small)
    expect(world.called('f')).toEqual(['c#1/1'])
  })

  it('by the minute are given out anew with each window, and the run sleeps until then [RES-04, P-19]', async () => {
    const world = new World()
    const process = world.process('p', { script: { work: () => null } })
    await declare(process, { pool: 'resource:api', capacity: 2, windowMs: 60_000 })
    const key = await start(process, wide(5, 'resources: { api: 1 }'))
    expect(world.called('work')).toHaveLength(2)
    const wakeAt = world.row(key).nextWakeAt ?? 0
    expect(wakeAt % 60_000).toBe(0)
    await world.advanceBy(wakeAt - world.time.now() - 1)
    expect(world.called('work')).toHaveLength(2)
    await ended(world, key)
    const windows = world.calls.map(({ at }) => Math.floor(at / 60_000))
    expect(new Set(windows).size).toBe(3)
  })

  it('go on to whoever waits when the holder fails, times out, is cancelled or stopped [RES-03, RES-08, SCH-11]', async () => {
    for (const end of ['throw', 'timeout', 'cancel', 'emergency'] as const) {
      const world = new World()
      const process = world.process('p', { script: { hold: 'hold', work: () => null } })
      await declare(process, { pool: 'resource:db', capacity: 2 }, { pool: 'resource:disk', capacity: 1 })
      const holder = await start(
        process,
        `steps: [{ id: build, run: hold, timeoutMs: 60000, resources: { db: 1, disk: 1 }, retry: { maxAttempts: 1 } }]`,
      )
      const beside = await start(process, `steps: [{ id: build, run: hold, resources: { db: 1 } }]`)
      const next = await start(process, `steps: [{ id: build, run: work, resources: { disk: 1 } }]`)
      await world.advanceBy(1000)
      expect(world.log(next, 'StepStarted')).toEqual([])
      if (end === 'throw') world.calls[0]?.reject(new Error('broken'))
      if (end === 'timeout') await world.advanceBy(60_000)
      if (end === 'cancel') await process.signal(holder, 'CANCEL')
      if (end === 'emergency') await process.signal(holder, 'EMERGENCY_STOP', { reason: 'fire' })
      await world.runUntil(() => world.hasEnded(holder) && world.hasEnded(next))
      expect([end, world.row(next).status]).toEqual([end, 'COMPLETED'])
      // The other run's step of the same name keeps what it holds.
      expect((await process.store.readGrants(beside)).held).toMatchObject([
        { slot: 'build', wants: { 'resource:db': 1 } },
      ])
    }
  })
})
