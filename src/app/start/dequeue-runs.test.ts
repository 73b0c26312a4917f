/** The reconciler of queued runs: several at once start each run once, and one that dies leaves it to the others. */
import { describe, expect, it } from 'vitest'
import { fail } from '../../core/problems/problem.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { countingStore, type CountingStore } from '../../../test/fixtures/counting-store.ts'
import { World, type Process } from '../../../test/fixtures/virtual-world.ts'
import { dequeueAndStart, type Dequeued } from './dequeue-runs.ts'

const PLAN = `steps: [{ id: a, run: f }]`

async function queue(process: Process, autoApprove = true): Promise<RunKey> {
  const answer = await process.create(PLAN, { admission: { policy: 'QUEUE', autoApprove } })
  await process.store.releaseLease(answer.row.runKey, process.name)
  return answer.row.runKey
}

async function dequeue(process: Process): Promise<readonly Dequeued[]> {
  const answers = dequeueAndStart(process.services, process.advancer, {
    tenantId: 'local',
    lease: () => process.engine.lease(),
    onStarted: (row, report) => process.engine.drive(row.runKey, report),
  })
  await process.world.time.quiet()
  return answers
}

const statuses = (answers: readonly Dequeued[]): readonly string[] => answers.map(({ status }) => status)

describe('two reconcilers over fifty queued runs', () => {
  it('start each run once; who comes second skips it, and another call finds nothing [BPQ-05]', async () => {
    const world = new World()
    const [first, second] = [world.process('first'), world.process('second')]
    const keys: RunKey[] = []
    for (let index = 0; index < 50; index += 1) keys.push(await queue(first))
    const answers = (await Promise.all([dequeue(first), dequeue(second)])).flat()
    const started = answers.filter(({ status }) => status === 'STARTED').map(({ runId }) => runId)
    expect(new Set(started).size).toBe(50)
    expect(started).toHaveLength(50)
    expect(answers.every(({ status }) => status !== 'FAILED')).toBe(true)
    expect(answers.filter(({ status }) => status === 'SKIPPED')).toHaveLength(answers.length - 50)
    expect(answers.length).toBeGreaterThan(50)
    await world.runUntil(() => keys.every((key) => world.hasEnded(key)))
    for (const key of keys) {
      expect(world.row(key).status).toBe('COMPLETED')
      expect(world.log(key, 'RunStarted')).toHaveLength(1)
    }
    expect(world.calls).toHaveLength(50)
    expect(await dequeue(first)).toEqual([])
  })
})

describe('a lease comes first', () => {
  it('and if its holder dies with nothing started, another starts the run when the lease is over [BPQ-08]', async () => {
    const world = new World()
    const [dead, living] = [world.process('dead'), world.process('living')]
    const key = await queue(dead)
    const { owner, until } = dead.engine.lease()
    await dead.store.acquireLease(key, owner, world.time.now(), until)
    dead.kill()
    expect(statuses(await dequeue(living))).toEqual(['SKIPPED'])
    await world.advanceBy(until - world.time.now())
    expect(statuses(await dequeue(living))).toEqual(['STARTED'])
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1'])
  })

  it('and if its holder dies after the start, the run is adopted and not started a second time [BPQ-08]', async () => {
    const world = new World()
    const [dead, living] = [world.process('dead'), world.process('living', { adoptOthers: true })]
    const key = await queue(dead)
    const [answer] = await dequeueAndStart(dead.services, dead.advancer, {
      tenantId: 'local',
      lease: () => dead.engine.lease(),
      onStarted: () => dead.kill(),
    })
    expect(answer?.status).toBe('STARTED')
    expect(await dequeue(living)).toEqual([])
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key, 'RunStarted')).toHaveLength(1)
    expect(world.called()).toEqual(['a#1/2'])
    expect(world.row(key).status).toBe('COMPLETED')
  })
})

describe('a long queue', () => {
  it('is not read for one run that is named, and no further than the limit for the others', async () => {
    const world = new World()
    const counted: CountingStore[] = []
    const process = world.process('only', {
      wrapStore: (store) => {
        const counting = countingStore(store)
        counted.push(counting)
        return counting.store
      },
    })
    const runIds: string[] = []
    for (let index = 0; index < 450; index += 1) runIds.push(world.row(await queue(process)).runId)
    const start = async (more: { readonly runIds?: ReadonlySet<string>; readonly limit?: number }) => {
      counted[0]?.reset()
      const answers = await dequeueAndStart(process.services, process.advancer, {
        tenantId: 'local',
        lease: () => process.engine.lease(),
        onStarted: (row, report) => process.engine.drive(row.runKey, report),
        ...more,
      })
      return { answers, pages: counted[0]?.count('listRuns'), looks: counted[0]?.count('findRun') }
    }
    const [oldest = '', second = ''] = runIds
    const newest = runIds.at(-1) ?? ''
    expect(await start({ runIds: new Set([newest, second, 'no-such-run']) })).toEqual({
      answers: [
        { runId: second, status: 'STARTED' },
        { runId: newest, status: 'STARTED' },
      ],
      pages: 0,
      looks: 3,
    })
    expect(await start({ limit: 1 })).toEqual({
      answers: [{ runId: oldest, status: 'STARTED' }],
      pages: 1,
      looks: 0,
    })
    expect(await start({ runIds: new Set([second]) })).toMatchObject({ answers: [] })
  })
})

describe('what cannot start', () => {
  it('without approval is skipped and stays queued until somebody approves it; a start that throws is told [BPQ-11]', async () => {
    const world = new World()
    let broken = false
    const process = world.process('only', {
      wrapStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            if (name === 'commit' && broken)
              return async (): ReturnType<RunStore['commit']> => fail('STORE_UNAVAILABLE', 'the disk is away')
            const value: unknown = Reflect.get(target, name)
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
    })
    const key = await queue(process, false)
    expect(statuses(await dequeue(process))).toEqual(['SKIPPED'])
    expect(world.row(key)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_APPROVAL' })
    expect(world.row(key).lease).toBeUndefined()
    await process.store.insertInbox(world.row(key), {
      inboxId: 'approve:1',
      kind: 'approve',
      body: JSON.stringify({ approvedBy: 'olga' }),
    })
    await process.advancer.advance(key)
    expect(world.row(key)).toMatchObject({ status: 'APPROVED' })
    broken = true
    expect(await dequeue(process)).toMatchObject([{ status: 'FAILED', error: 'STORE_UNAVAILABLE' }])
    expect(world.row(key)).toMatchObject({ status: 'APPROVED' })
    expect(world.row(key).lease).toBeUndefined()
    broken = false
    expect(statuses(await dequeue(process))).toEqual(['STARTED'])
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1'])
  })
})
