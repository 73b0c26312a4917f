/** Admission by its exact values, as a program sees it through the library: what is recorded, in which append, under which key. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'

const planOf = (planId: string, version: string) =>
  loadPlan(
    `plan: ${planId}\nversion: ${version}\nsteps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }]`,
  )
const PLAN = planOf('p', '1.0.0')

/** Each commit that had events, as the types of them. */
function appends(): { readonly store: RunStore; readonly seen: string[][] } {
  const seen: string[][] = []
  const inner = openMemoryStore({ clock: { now: () => Date.now() } })
  const store = new Proxy(inner, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      if (name !== 'commit') return member
      return (commits: Parameters<RunStore['commit']>[0]) => {
        for (const { events } of commits) if (events.length > 0) seen.push(events.map(({ eventType }) => eventType))
        return target.commit(commits)
      }
    },
  })
  return { store, seen }
}

const opened = (store: RunStore): Promise<Keelson> =>
  openKeelson({ store, keysDirectory: '/nonexistent', pollMs: 20, steps: { f: () => 1 } })

describe('an immediate start', () => {
  it('is one append: RunApproved by policy:auto, RunStarted and the first StepStarted; nothing is queued [BPQ-03]', async () => {
    const { store, seen } = appends()
    await using keelson = await opened(store)
    const run = await keelson.start(PLAN)
    await run.result()
    expect(seen[0]).toEqual(['RunApproved', 'RunStarted', 'StepStarted', 'StepStarted'])
    const records = await run.records()
    expect(records[0]?.payload?.['approvedBy']).toBe('policy:auto')
    expect(records.map(({ eventType }) => eventType)).not.toContain('RunQueued')
  })
})

describe('a queued start', () => {
  it('is RunQueued with policy QUEUE and PENDING until it starts; a delayed one says DELAY and its instant [BPQ-03, EVT-03, X-85, STO-27]', async () => {
    const { store, seen } = appends()
    await using keelson = await opened(store)
    const queued = await keelson.start(PLAN, {}, { queue: true })
    const asking = await keelson.start(PLAN, {}, { queue: true, autoApprove: false })
    const instant = '2099-01-01T00:00:00.000Z'
    const delayed = await keelson.start(PLAN, {}, { notBefore: new Date(instant) })
    expect(seen).toEqual([['RunQueued'], ['RunQueued'], ['RunQueued']])
    const first = async (run: RunHandle) => (await run.records())[0]?.payload
    expect(await first(queued)).toMatchObject({ policy: 'QUEUE', autoApprove: true })
    expect(await first(asking)).toMatchObject({ policy: 'QUEUE' })
    expect(await first(asking)).not.toHaveProperty('autoApprove')
    expect(await first(delayed)).toMatchObject({ policy: 'DELAY', notBefore: instant, autoApprove: true })
    const shown = async (run: RunHandle) => {
      const { status, substatus, message, queued: how } = await run.snapshot()
      expect([run.row.status, run.row.substatus]).toEqual([status, substatus])
      return { status, substatus, message, how }
    }
    const pending = { status: 'PENDING', substatus: undefined }
    expect(await shown(queued)).toEqual({
      ...pending,
      message: 'queued until somebody starts it',
      how: { policy: 'QUEUE' },
    })
    expect(await shown(asking)).toEqual({
      ...pending,
      substatus: 'WAITING_APPROVAL',
      message: undefined,
      how: { policy: 'QUEUE' },
    })
    expect(await shown(delayed)).toEqual({
      ...pending,
      message: `not before ${instant}`,
      how: { policy: 'DELAY', notBefore: instant },
    })
    expect([queued, asking, delayed].map(({ row }) => row.nextWakeAt)).toEqual([
      undefined,
      undefined,
      Date.parse(instant),
    ])
    const waits = async (run: RunHandle) => (await run.why('a')).map((one) => ('waitsFor' in one ? one : undefined))
    expect(await waits(queued)).toMatchObject([{ kind: 'run-not-started', status: 'PENDING', waitsFor: 'start' }])
    expect(await waits(asking)).toMatchObject([{ status: 'PENDING', waitsFor: 'approval' }])
    expect(await waits(delayed)).toMatchObject([{ waitsFor: 'instant', notBefore: Date.parse(instant) }])
  })

  it('is approved as it starts, in one append with RunStarted, and asks nobody before [BPQ-03, BPQ-11]', async () => {
    const { store, seen } = appends()
    await using keelson = await opened(store)
    const run = await keelson.start(PLAN, {}, { queue: true })
    for (const word of [keelson.queue.approve(run.runId), keelson.queue.reject(run.runId)])
      await expect(word).rejects.toMatchObject({ code: 'RUN_NOT_WAITING' })
    expect(await keelson.queue.start()).toEqual([{ runId: run.runId, status: 'STARTED' }])
    await run.result()
    expect(seen.slice(0, 2)).toEqual([['RunQueued'], ['RunApproved', 'RunStarted', 'StepStarted', 'StepStarted']])
    const [, approved, started] = await run.records()
    expect(approved?.payload).toEqual({ approvedBy: 'policy:auto' })
    expect([approved?.decision, started?.decision.cause]).toEqual([started?.decision, 'start'])
    expect((await run.snapshot()).queued).toBeUndefined()
    expect(isWhole(await keelson.maintenance.verify(run.row))).toBe(true)
  })

  it('that is cancelled needs no approval when it is forked: nobody had to be asked [BPQ-03]', async () => {
    const { store } = appends()
    await using keelson = await opened(store)
    const run = await keelson.start(PLAN, {}, { queue: true })
    await run.signal('CANCEL', { reason: 'no longer wanted' })
    expect((await run.result()).status).toBe('CANCELLED')
    const fork = await keelson.fork(run.runId)
    expect((await fork.result()).status).toBe('COMPLETED')
  })
})

describe('a run request', () => {
  it('is unique by tenant, project, environment, plan, version and its id: any other value is another run [BPQ-06, BPQ-07]', async () => {
    const { store } = appends()
    await using keelson = await opened(store)
    await using other = await openKeelson({
      store,
      tenantId: 'other',
      keysDirectory: '/nonexistent',
      steps: { f: () => 1 },
    })
    const first = await keelson.start(PLAN, {}, { requestId: 'r-1' })
    const { tenantId, projectId, environmentId } = first.row
    const key = [tenantId, projectId, environmentId, 'p', '1.0.0', 'r-1'].join('|')
    expect([tenantId, projectId, environmentId]).toEqual(['local', 'default', 'local'])
    expect(first.row.requestKey).toBe(createHash('sha256').update(key).digest('hex'))
    const runs = [
      await keelson.start(PLAN, {}, { requestId: 'r-1' }),
      await keelson.start(PLAN, {}, { requestId: 'r-2' }),
      await keelson.start(planOf('p', '1.0.1'), {}, { requestId: 'r-1' }),
      await keelson.start(planOf('q', '1.0.0'), {}, { requestId: 'r-1' }),
      await other.start(PLAN, {}, { requestId: 'r-1' }),
    ]
    expect(runs.map(({ runId }) => runId === first.runId)).toEqual([true, false, false, false, false])
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(5)
    await Promise.all(runs.map((run) => run.result()))
  })
})
