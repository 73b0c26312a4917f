/** A run id that was used before: the very request finds its run, any other is refused, and nothing of another tenant is told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childRunId } from '../../src/app/log/derived-uuid.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from '../chaos/poison-planters.ts'
import { World } from '../fixtures/virtual-world.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const ONE = loadPlan('plan: one\nversion: 1.0.0\nsteps: [{ id: a, run: f }]')
const OTHER = loadPlan('plan: other\nversion: 1.0.0\nsteps: [{ id: a, run: f }]')
const ALTERED = loadPlan('plan: one\nversion: 1.0.0\nsteps: [{ id: b, run: f }]')
const WITH_DEFAULT = loadPlan(
  'plan: defaults\nversion: 1.0.0\ninputs: { type: object, properties: { n: { type: integer, default: 3 } } }\nsteps: [{ id: a, run: f }]',
)
const TAKEN = { code: 'RUN_ALREADY_EXISTS' }

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('a run id used before, in %s', (_name, makePlanter) => {
  let planter: Planter
  let keelson: Keelson
  beforeAll(async () => {
    planter = await makePlanter()
    keelson = await openKeelson({
      store: await planter.open(),
      steps: { f: () => 'done' },
      keysDirectory: '/nonexistent',
    })
  })
  afterAll(async () => {
    await keelson.close()
    await planter.close()
  })

  it('finds the run for the same plan and input, however the input is written, before and after its end [BPQ-06]', async () => {
    const first = await keelson.start(ONE, { a: 1, b: [2] }, { runId: 'same' })
    const at = [await keelson.start(ONE, { b: [2], a: 1 }, { runId: 'same' })]
    await first.result()
    at.push(await keelson.start(ONE, { a: 1, b: [2] }, { runId: 'same' }))
    expect(at.map(({ runId, existed }) => [runId, existed])).toEqual([
      ['same', true],
      ['same', true],
    ])
    const filled = await keelson.start(WITH_DEFAULT, {}, { runId: 'filled' })
    expect((await keelson.start(WITH_DEFAULT, { n: 3 }, { runId: 'filled' })).existed).toBe(true)
    await filled.result()
  })

  it('is refused for another plan, an altered plan and another input, small or large [BPQ-06, STO-13]', async () => {
    const big = 'x'.repeat(70_000)
    const run = await keelson.start(ONE, { n: 1, big }, { runId: 'mine' })
    const result = await run.result()
    for (const plan of [OTHER, ALTERED])
      await expect(keelson.start(plan, { n: 1, big }, { runId: 'mine' })).rejects.toMatchObject({
        ...TAKEN,
        message: expect.stringContaining('another plan') as unknown,
      })
    for (const input of [{ n: 2, big }, { n: 1 }, {}, undefined, [1]])
      await expect(keelson.start(ONE, input as object, { runId: 'mine' })).rejects.toMatchObject(TAKEN)
    await expect(keelson.start(OTHER, {}, { runId: 'mine', queue: true })).rejects.toMatchObject(TAKEN)
    expect(await (await keelson.run('mine')).result()).toEqual(result)
  })

  it('goes to one of two that start at once, and the other learns whether it was the same', async () => {
    const same = await Promise.all([1, 2, 3].map(() => keelson.start(ONE, { n: 1 }, { runId: 'raced' })))
    expect(same.filter(({ existed }) => !existed)).toHaveLength(1)
    const other = await Promise.allSettled([1, 2].map((n) => keelson.start(ONE, { n }, { runId: 'torn' })))
    expect(other.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(other.find(({ status }) => status === 'rejected')).toMatchObject({ reason: TAKEN })
    await Promise.all([...same, await keelson.run('torn')].map((run) => run.result()))
  })

  it('of another tenant is free, and of another project or environment of the same one it is taken', async () => {
    const operations = operationsOf(keelson)
    const ref = await keelson.planRef(ONE, { tenantId: 'acme' })
    const as = (tenantId: string) => ({ userId: 'ada', tenantId, roles: ['Admin'] }) as const
    const context = { tenantId: 'acme', projectId: 'p', environmentId: 'e', runId: 'theirs', input: { secret: 7 } }
    await operations.startRun(ref, context, as('acme'))
    const mine = await keelson.start(ONE, { n: 1 }, { runId: 'theirs' })
    expect(mine.row).toMatchObject({ tenantId: 'local', runId: 'theirs' })
    const elsewhere = { ...context, projectId: 'another' }
    await expect(operations.startRun(ref, elsewhere, as('acme'))).rejects.toMatchObject(TAKEN)
  })

  it('of a queued run is not started by a request with another input [ENG-11]', async () => {
    const operations = operationsOf(keelson)
    const ref = await keelson.planRef(ONE)
    const actor = { userId: 'ada', tenantId: 'local', roles: ['Admin'] }
    const context = { tenantId: 'local', projectId: 'default', environmentId: 'local', runId: 'waiting' }
    await keelson.start(ONE, { n: 1 }, { runId: 'waiting', queue: true })
    await expect(operations.startRun(ref, { ...context, input: { n: 2 } }, actor)).rejects.toMatchObject(TAKEN)
    expect((await keelson.run('waiting')).row.status).toBe('PENDING')
    await operations.startRun(ref, { ...context, input: { n: 1 } }, actor)
    expect((await (await keelson.run('waiting')).result()).status).toBe('COMPLETED')
  })
})

describe('the id of a child', () => {
  const PARENT = 'plan: parent\nversion: 1.0.0\nsteps: [{ id: call, plan: { planId: child } }]'
  const child = (n: number): string => `plan: child\nversion: 1.0.${n}\nsteps: [{ id: inner, run: inner }]`

  it('is the same request after a crash, also when its plan has a newer version by then [P-29]', async () => {
    const world = new World()
    const first = world.process('first', { script: { inner: 'hold' } })
    await first.publish(child(0))
    const parent = await first.start(PARENT)
    await world.runUntil(() => world.disk.runs.length === 2)
    first.kill()
    const second = world.process('second', { adoptOthers: true, script: { inner: () => 'made' } })
    await second.publish(child(1))
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(parent).status).toBe('COMPLETED')
    expect(world.row(2)).toMatchObject({ planVersion: '1.0.0', status: 'COMPLETED' })
  })

  it('that somebody took for a run of theirs fails the step, and is never taken for the child', async () => {
    const world = new World()
    const process = world.process('only')
    await process.publish(child(0))
    const runId = '2f1c7d3e-9a4b-4c55-8e21-0d6f3b7a9c10'
    const stranger = await process.start(child(0), { runId: childRunId(runId, 'call', 1) })
    const parent = await process.start(PARENT, { runId })
    await world.runUntil(() => world.hasEnded(parent) && world.hasEnded(stranger))
    expect(world.row(parent)).toMatchObject({ status: 'FAILED', errorCode: 'RUN_ALREADY_EXISTS' })
  })
})
