/** Waiting for what spans runs: who is served first, who is held by a breaker, and what the process itself allows. */
import { describe, expect, it } from 'vitest'
import { explainSlot } from '../../src/app/views/explain-slot.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { AtWork } from '../fixtures/at-work.ts'
import { World } from '../fixtures/virtual-world.ts'
import { steps, wide, start, declare, ended, nothingHeld } from '../fixtures/granted-runs.ts'

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
