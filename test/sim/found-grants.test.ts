/** What the simulator found about grants, told as short stories, so that it stays found whatever the seeds do. */
import { expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { RunKey, RunStore } from '../../src/ports/run-store.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const DB: PoolDefinition = { pool: 'resource:db', capacity: 1 }
const HOLDER = `steps: [{ id: h, run: hold, resources: { db: 1 } }]`

async function start(process: Process, yaml: string, input: unknown = {}): Promise<RunKey> {
  const key = await process.start(yaml, { input })
  await process.world.advanceBy(0)
  return key
}

/** A process over a pool of which another run holds all there is. */
async function beside(world: World, ...more: readonly PoolDefinition[]): Promise<Process> {
  const process = world.process('p', { script: { hold: 'hold', work: () => null, slow: () => null } })
  for (const pool of [DB, ...more]) await process.store.putPool(pool)
  await start(process, HOLDER)
  return process
}

const waiting = async (process: Process, key: RunKey): Promise<readonly string[]> =>
  (await process.store.readGrants(key)).waits.map(({ slot }) => slot)

it('conditions of steps that wait for a grant are asked for once in a turn, not in turns for ever [P-07, P-19]', async () => {
  const world = new World()
  const process = await beside(world)
  const step = (id: string): string => `{ id: ${id}, run: work, dependsOn: [], if: input.yes, resources: { db: 1 } }`
  const key = await start(process, `policy: { concurrency: 1 }\nsteps: [${step('a')}, ${step('b')}]`, { yes: true })
  expect(await waiting(process, key)).toEqual(['a'])
  world.calls[0]?.resolve()
  await world.runUntil(() => world.hasEnded(key))
  expect(world.called('work')).toEqual(['a#1/1', 'b#1/1'])
})

it('what was held back behind a step that waits is tried as soon as that one starts, not when it ends [P-19, SCH-06]', async () => {
  const world = new World()
  const process = world.process('p', { script: { hold: 'hold', slow: 'hold', long: 'hold', work: () => null } })
  await process.store.putPool({ ...DB, capacity: 2 })
  for (const holder of [HOLDER, HOLDER]) await start(process, holder)
  const key = await start(
    process,
    `
steps:
  - { id: a, run: long, dependsOn: [], resources: { db: 1 } }
  - { id: first, run: slow, dependsOn: [] }
  - { id: b, run: work, dependsOn: [first], resources: { db: 1 } }`,
  )
  world.calls.find((call) => call.name === 'slow')?.resolve()
  await world.advanceBy(0)
  expect(await waiting(process, key)).toEqual(['a'])
  for (const call of world.calls) if (call.name === 'hold') call.resolve()
  await world.advanceBy(2000)
  expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted first#1', 'StepCompleted b#1'])
  expect(await waiting(process, key)).toEqual([])
})

it('a run whose slots are taken by its children keeps nothing from them that it could not use [P-19, SCH-07]', async () => {
  const world = new World()
  const process = await beside(world)
  await process.publish(`plan: child\nversion: 1.0.0\nsteps: [{ id: w, run: work, resources: { db: 1 } }]`)
  const key = await start(
    process,
    `
policy: { concurrency: 1 }
steps:
  - { id: first, run: slow, dependsOn: [] }
  - { id: own, run: work, dependsOn: [first], resources: { db: 1 } }
  - { id: child, plan: { planId: child }, dependsOn: [first] }`,
  )
  expect(world.log(key, 'StepStarted')).toContain('StepStarted child#1')
  world.calls[0]?.resolve()
  await world.runUntil(() => world.hasEnded(key), 60_000)
  expect(world.row(key).status).toBe('COMPLETED')
})

it('an item that is held back by a failure waits for no grant, and nobody else waits for it [P-19, P-47]', async () => {
  const world = new World()
  const process = world.process('p', { script: { each: 'hold', work: () => null } })
  await process.store.putPool(DB)
  const key = await start(
    process,
    `
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: each, forEach: input.list, run: each, resources: { db: 1 } }]`,
    { list: [1, 2, 3] },
  )
  expect(await waiting(process, key)).toEqual(['each[1]', 'each[2]'])
  world.calls[0]?.reject(new Error('broken'))
  await world.advanceBy(0)
  expect(world.log(key, 'StepFailed')).toEqual(['StepFailed each[0]#1', 'StepFailed each#1'])
  expect(await waiting(process, key)).toEqual([])
  const other = await start(process, `steps: [{ id: w, run: work, resources: { db: 1 } }]`)
  expect(world.row(other).status).toBe('COMPLETED')
})

it('a quota that opens while all slots of the run are taken does not wake it again and again [P-19, P-25]', async () => {
  const world = new World()
  let asked = 0
  const counting = (store: RunStore): RunStore => ({
    ...store,
    readInbox: (runKey) => {
      asked += 1
      if (asked > 200) throw new Error('asked again and again')
      return store.readInbox(runKey)
    },
  })
  const process = world.process('p', { script: { hold: 'hold', work: () => null }, wrapStore: counting })
  await process.store.putPool({ pool: 'resource:mail', capacity: 1, windowMs: 60_000 })
  const key = await start(
    process,
    `
policy: { concurrency: 1 }
steps:
  - { id: a, run: work, dependsOn: [], resources: { mail: 1 } }
  - { id: b, run: work, dependsOn: [a], resources: { mail: 1 } }
  - { id: slow, run: hold, dependsOn: [a], timeoutMs: 600000 }`,
  )
  expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted slow#1'])
  expect(await waiting(process, key)).toEqual([])
  await world.advanceBy(120_000)
  expect(asked).toBeLessThan(50)
  world.calls.find((call) => call.name === 'hold')?.resolve()
  await world.runUntil(() => world.hasEnded(key))
  expect(world.row(key).status).toBe('COMPLETED')
})

it('who takes over a run that waits for a quota is woken when it opens, as the one before was [P-18, P-19]', async () => {
  const world = new World()
  const first = world.process('first', { script: { work: () => null } })
  await first.store.putPool({ pool: 'resource:mail', capacity: 1, windowMs: 600_000 })
  const step = (id: string): string => `{ id: ${id}, run: work, dependsOn: [], resources: { mail: 1 } }`
  const key = await start(first, `steps: [${step('a')}, ${step('b')}]`)
  const wakeAt = world.row(key).nextWakeAt
  expect((wakeAt ?? 1) % 600_000).toBe(0)
  first.kill()
  const second = world.process('second')
  await second.advancer.advance(key, { adopt: true })
  expect(world.row(key)).toMatchObject({ epoch: 2, nextWakeAt: wakeAt })
  expect(await waiting(second, key)).toEqual(['b'])
})

it('a fan-out whose items can never have what they want fails by its items, and the log says why [RES-06]', async () => {
  const world = new World()
  const process = world.process('p', { script: { hold: 'hold' } })
  await process.store.putPool({ ...DB, capacity: 2 })
  const key = await start(
    process,
    `steps: [{ id: a, run: hold }, { id: each, forEach: input.list, run: f, resources: { db: 2 } }]`,
    { list: [1, 2] },
  )
  await process.store.putPool(DB)
  world.calls[0]?.resolve()
  await world.runUntil(() => world.hasEnded(key))
  expect(world.log(key, 'StepFailed')).toEqual(['StepFailed each[0]#1', 'StepFailed each#1'])
  const { plan } = await process.advancer.current(key)
  const report = verifyDecisions(world.records(key), plan)
  expect(report.differences).toEqual([])
  expect(report.rederived).toBe(report.decisions)
})
