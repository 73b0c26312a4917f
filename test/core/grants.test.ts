/**
 * What spans runs, seen from outside: limits of agents and resources hold over all runs and processes, nobody waits for
 * ever, and what waits says for what (protocol P-18 … P-20; docs/adr/0002-grants.md).
 */
import { describe, expect, it } from 'vitest'
import { explainSlot } from '../../src/app/explain-slot.ts'
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { AtWork } from '../fixtures/at-work.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const steps = (count: number, fields: string): string =>
  Array.from({ length: count }, (_, index) => `  - { id: s${index}, run: work, dependsOn: [], ${fields} }`).join('\n')

const wide = (count: number, fields: string, concurrency = 100): string =>
  `policy: { concurrency: ${concurrency} }\nsteps:\n${steps(count, fields)}`

/** What wants grants starts with the run's first advance, right after its creation. */
async function start(process: Process, yaml: string): Promise<RunKey> {
  const key = await process.start(yaml)
  await process.world.advanceBy(0)
  return key
}

async function declare(process: Process, ...pools: readonly PoolDefinition[]): Promise<void> {
  for (const pool of pools) await process.store.putPool(pool)
}

async function ended(world: World, ...keys: readonly RunKey[]): Promise<void> {
  await world.runUntil(() => keys.every((key) => world.hasEnded(key)))
  for (const key of keys) expect(world.row(key).status).toBe('COMPLETED')
}

async function nothingHeld(process: Process): Promise<void> {
  for (const pool of await process.store.listPools()) if (pool.windowMs === undefined) expect(pool.used).toBe(0)
}

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

describe('waiting', () => {
  it('ends at once for a step whose run is cancelled, and a paused run keeps nobody waiting [SCH-10, RES-05]', async () => {
    const world = new World()
    const process = world.process('p', { script: { hold: 'hold', work: () => null } })
    await declare(process, { pool: 'resource:db', capacity: 1 })
    await start(process, `steps: [{ id: h, run: hold, resources: { db: 1 } }]`)
    const waiting = await start(process, `steps: [{ id: w, run: work, resources: { db: 1 } }]`)
    const paused = await start(process, `steps: [{ id: w, run: work, resources: { db: 1 } }]`)
    const last = await start(process, `steps: [{ id: w, run: work, resources: { db: 1 } }]`)
    await process.signal(waiting, 'CANCEL')
    expect(world.row(waiting).status).toBe('CANCELLED')
    expect(world.log(waiting, 'StepStarted', 'StepFailed')).toEqual([])
    await process.signal(paused, 'PAUSE')
    world.calls[0]?.resolve()
    await ended(world, last)
    expect(world.row(paused).status).toBe('PAUSED')
    await process.signal(paused, 'RESUME')
    await ended(world, paused)
  })

  it('goes by priority across runs, by arrival within one, and inside a run by order [SCH-03]', async () => {
    const world = new World()
    const order: string[] = []
    const process = world.process('p', {
      script: { hold: 'hold', work: ({ input }) => void order.push((input as { n: string }).n) },
    })
    await declare(process, { pool: 'resource:db', capacity: 1 })
    const holder = await start(process, `steps: [{ id: h, run: hold, resources: { db: 1 } }]`)
    const run = (n: string, more = ''): Promise<RunKey> =>
      start(process, `steps: [{ id: s, run: work, with: { n: ${n} }, resources: { db: 1 }${more} }]`)
    const keys = [
      await run('late', ', priority: 7'),
      await run('a'),
      await run('b', ', priority: 0'),
      await run('c'),
      await run('urgent', ', priority: -1'),
    ]
    world.calls[0]?.resolve()
    await ended(world, holder, ...keys)
    expect(order).toEqual(['urgent', 'a', 'b', 'c', 'late'])
  })

  it('survives the death of the process: who adopts the run keeps what it holds and its place in the queue [P-18, P-19]', async () => {
    const world = new World()
    const work = new AtWork()
    const first = world.process('first', { script: { work: 'hold' } })
    await declare(first, { pool: 'resource:db', capacity: 1 })
    const holder = await start(first, `steps: [{ id: h, run: work, resources: { db: 1 } }]`)
    const waiting = await start(first, `steps: [{ id: w, run: work, resources: { db: 1 } }]`)
    const before = await first.store.readGrants(waiting)
    expect(before.waits).toHaveLength(1)
    first.kill()
    const second = world.process('second', { adoptOthers: true, script: { work: work.working(1000) } })
    await world.runUntil(() => world.row(holder).epoch === 2)
    expect((await second.store.readGrants(holder)).held).toMatchObject([{ slot: 'h', attempt: 1 }])
    await ended(world, holder, waiting)
    expect(work.most()).toBe(1)
    await nothingHeld(second)
  })

  it('says for what: why names the pool, how much is in use and how many wait [P-01, P-19]', async () => {
    const world = new World()
    const process = world.process('p', { script: { hold: 'hold' } })
    await declare(process, { pool: 'agent:writer', capacity: 1 })
    await start(process, `steps: [{ id: h, run: hold, agent: writer }]`)
    const key = await start(process, `steps: [{ id: w, run: hold, agent: writer }]`)
    const causes = await explainSlot(process.store, await process.advancer.current(key), 'w', world.time.now())
    expect(causes).toMatchObject([
      { kind: 'waiting-for-grant', pool: 'agent:writer', wants: 1, used: 1, capacity: 1, waiting: 1 },
    ])
    expect(world.row(key).nextWakeAt).toBeUndefined()
  })
})

describe('a fan-out whose items want an agent', () => {
  it('keeps to the limit with a thousand items beside other runs, and each item runs once [SCH-02, SCH-05]', async () => {
    const world = new World()
    const work = new AtWork()
    const process = world.process('p', {
      script: { list: () => Array.from({ length: 1000 }, (_, n) => n), work: work.working(10), one: work.working(10) },
    })
    const fan = await start(
      process,
      `
policy: { concurrency: 20 }
steps:
  - { id: list, run: list }
  - { id: each, forEach: "steps.list.output", run: work, agent: writer }`,
    )
    await world.advanceBy(50)
    const small = await start(process, `steps: [{ id: small, run: one, agent: writer }]`)
    await world.runUntil(() => world.hasEnded(small))
    expect(world.called('work').length).toBeLessThan(100)
    await ended(world, fan, small)
    expect(work.most()).toBe(3)
    expect(new Set(world.called('work')).size).toBe(1000)
    expect(world.called('work')).toHaveLength(1000)
  })
})

describe('a breaker', () => {
  it('opens after five failures in a row over all runs, lets one attempt through after a minute, and closes on success [RTY-12]', async () => {
    const world = new World()
    let healthy = false
    const process = world.process('p', {
      script: {
        work: () => {
          if (!healthy) throw Object.assign(new Error('bad gateway'), { status: 502 })
        },
      },
    })
    const plan = `policy: { onFailure: continue, retry: { maxAttempts: 1 } }\nsteps:\n${steps(4, 'agent: shaky')}`
    const first = await start(process, plan)
    const second = await start(process, plan)
    await world.advanceBy(5000)
    const failedThen = world.called('work').length
    // The fifth failure in a row opens it; at most the two beside it were at work by then.
    expect(failedThen).toBeGreaterThanOrEqual(5)
    expect(failedThen).toBeLessThanOrEqual(7)
    const opened = world.time.now()
    healthy = true
    await world.runUntil(() => world.hasEnded(first) && world.hasEnded(second))
    const later = world.calls.slice(failedThen)
    expect(later).toHaveLength(8 - failedThen)
    expect(later[0]?.at).toBeGreaterThanOrEqual(opened + 54_000)
    expect(later[0]?.at).toBeLessThanOrEqual(opened + 61_000)
  })
})

describe('the process', () => {
  it('has a limit of its own beside those of its runs: both hold at once [SCH-15, SCH-01]', async () => {
    const world = new World()
    const work = new AtWork()
    const process = world.process('p', {
      maxSteps: 10,
      script: { work: work.working(1000, ({ context }) => [context.runId]) },
    })
    const narrow = await start(process, wide(30, 'priority: 0', 4))
    const wider = await start(process, wide(30, 'priority: 0', 10))
    await ended(world, narrow, wider)
    expect(work.most()).toBe(10)
    expect(work.most(world.row(narrow).runId)).toBe(4)
    expect(work.most(world.row(wider).runId)).toBeLessThanOrEqual(10)
  })

  it('runs ten steps of a run at once by default, of a hundred [SCH-01, SCH-09]', async () => {
    const world = new World()
    const work = new AtWork()
    const process = world.process('p', { script: { work: work.working(1000, ({ context }) => [context.runId]) } })
    const plan = `steps:\n${steps(100, 'priority: 0')}`
    const [one, two] = [await start(process, plan), await start(process, plan)]
    await ended(world, one, two)
    expect([work.most(world.row(one).runId), work.most(world.row(two).runId)]).toEqual([10, 10])
  })
})
