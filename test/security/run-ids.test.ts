/** Somebody hostile who knows another tenant's run ids, those made from them too, and uses them first, on every store. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { childRunId } from '../../src/app/log/derived-uuid.ts'
import { compensationRunIdOf } from '../../src/app/loaded/compensation-run-id.ts'
import { KeelsonError, loadPlan, openKeelson, type Keelson, type Startable } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { until } from '../fixtures/until.ts'
import { emptyStore, startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { operationsOf } from '../fixtures/operations-of.ts'

const [VICTIM, EVE] = ['acme', 'globex'] as const
const clock = { now: () => Date.now() }
const plan = (id: string, steps: string): Startable =>
  loadPlan(`plan: ${id}\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps:\n${steps}`)
const GOOD = plan('good', '  - { id: a, run: mine }')
const CHILD = plan('child', '  - { id: c, run: mine, compensate: { run: undo } }')
const PARENT = plan(
  'parent',
  '  - { id: call, plan: { planId: child }, effect: compensatable }\n  - { id: b, run: breaks }',
)
const ASK = plan('ask', '  - { id: a, manual: { title: Release } }')

let server: PostgresServer
let url = ''
beforeAll(async () => {
  server = await startPostgres()
  url = await server.createDatabase('runids')
})
afterAll(() => server.stop())

describe.each(['memory', 'sqlite', 'postgres'])('on the %s store', (kind) => {
  let folder = ''
  let victim: Keelson
  let eve: Keelson
  const did: string[] = []

  beforeEach(async () => {
    folder = testFolder()
    const disk = createMemoryDisk()
    const storeOf = async (): Promise<RunStore> => {
      if (kind === 'memory') return openMemoryStore({ clock, disk })
      if (kind === 'postgres') return openPostgresStore({ connectionString: url })
      return openSqliteStore({ path: join(folder, 'keelson.db'), clock })
    }
    const open = async (tenantId: string): Promise<Keelson> => {
      const of = (what: string) => () => void did.push(`${tenantId} ${what}`)
      const steps = { mine: of('did'), undo: of('undid'), breaks: () => Promise.reject(new Error('no')) }
      const place = { directory: folder, keysDirectory: join(folder, 'keys'), store: await storeOf() }
      return openKeelson({ ...place, tenantId, pollMs: 20, steps })
    }
    victim = await open(VICTIM)
    eve = await open(EVE)
    did.length = 0
  })
  afterEach(async () => {
    await victim.close()
    await eve.close()
    if (kind === 'postgres') await emptyStore(url)
  })

  it('squatting a run id, and the ids made from it for children and for undoing them, blocks and captures nothing', async () => {
    await victim.publish(CHILD)
    const child = childRunId('order-7', 'call', 1)
    const undo = compensationRunIdOf({ runId: 'order-7', slot: 'call', attempt: 1 })
    for (const runId of ['order-7', child, undo]) await (await eve.start(GOOD, {}, { runId })).result()
    const run = await victim.start(PARENT, {}, { runId: 'order-7' })
    expect((await run.result()).status).toBe('FAILED')
    expect(did).toEqual(['globex did', 'globex did', 'globex did', 'acme did', 'acme undid'])
    const ids: string[] = []
    for await (const row of victim.runs()) ids.push(row.runId)
    expect(ids.toSorted()).toEqual(['order-7', child, undo].toSorted())
    for await (const { planId } of eve.runs()) expect(planId).toBe('good')
  })

  it('another tenant’s run is told of in the very words of one that is not there, whatever is asked', async () => {
    const task = await victim.start(ASK, {}, { runId: 'held' })
    await until(async () => (await task.tasks()).length === 1)
    await victim.start(GOOD, {}, { runId: 'queued', queue: true, autoApprove: false })
    const actor = { userId: 'eve', roles: ['Admin'], tenantId: EVE }
    const operations = operationsOf(eve)
    const signal = { signalId: 's', signalType: 'CANCEL', payload: {} }
    const asks: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      run: (id) => eve.run(id),
      fork: (id) => eve.fork(id),
      previewFork: (id) => eve.previewFork(id),
      adopt: (id) => eve.adopt(id),
      migrate: (id) => eve.migrate(id, { to: 'embedded' }),
      approve: (id) => eve.queue.approve(id),
      reject: (id) => eve.queue.reject(id),
      dequeue: (id) => eve.queue.start({ runIds: [id] }),
      getRunStatus: (id) => operations.getRunStatus(id, actor),
      getEnrichedStatus: (id) => operations.getEnrichedStatus(id, actor),
      cancelRun: (id) => operations.cancelRun(id, actor),
      signal: (id) => operations.signal(id, signal, actor),
      byReference: (id) => operations.getRunStatus(`embedded://${id}`, actor),
      byWorkflow: (id) => operations.getRunStatus(`temporal://default/keelsonRun/acme%2F${id}/-`, actor),
      started: async (id) => {
        const { status, runId } = await (await eve.start(GOOD, {}, { runId: id })).result()
        return [status, runId]
      },
    }
    for (const [name, ask] of Object.entries(asks)) {
      const told = async (id: string): Promise<string> => {
        const answer = await ask(id).catch((thrown: unknown) => {
          if (!(thrown instanceof KeelsonError)) throw thrown
          return thrown.problems
        })
        return JSON.stringify(answer).replaceAll(id, 'ID')
      }
      const [held, absent] = [await told('held'), await told('nope')]
      expect([name, held]).toEqual([name, absent])
      expect([name, await told('queued')]).toEqual([name, await told('none')])
    }
    expect((await task.snapshot()).status).toBe('RUNNING')
    expect((await victim.run('queued')).row.status).toBe('PENDING')
  })

  it('a subscriber is told of its tenant’s runs alone, and neither waits for nor holds up anybody else', async () => {
    const heard: string[] = []
    const hear = (of: string) => (event: { tenantId: string; runId: string }) =>
      void heard.push(`${of} ${event.tenantId}`)
    const quiet = { pollMs: 60_000, onProblem: () => undefined }
    const breaking = eve.subscribe('mail', () => Promise.reject(new Error('never')), quiet)
    const mine = victim.subscribe('mail', hear('mine'), quiet)
    const all = victim.subscribe('everything', hear('all'), { ...quiet, allTenants: true })
    const listeners: string[] = []
    victim.on('execution.completed', ({ metadata }) => listeners.push(metadata.tenantId))
    await (await victim.start(GOOD, {}, { runId: 'r' })).result()
    await (await eve.start(GOOD, {}, { runId: 'r' })).result()
    for (const one of [breaking, mine, all]) await one.drain()
    expect([...new Set(heard)].toSorted()).toEqual(['all acme', 'all globex', 'mine acme'])
    expect(await mine.status()).toEqual({ runsBehind: 0, runsBlocked: 0, deadLetters: 0 })
    expect(await breaking.status()).toEqual({ runsBehind: 1, runsBlocked: 1, deadLetters: 0 })
    // Who is told only of other runs does not keep this one from being archived, nor is it named.
    const { store } = servicesOf(victim)
    expect(await store.subscribersBehind((await victim.run('r')).row.runKey)).toEqual([])
    await breaking.stop()
    await (await victim.start(GOOD, {}, { runId: 'later' })).result()
    await mine.drain()
    await all.drain()
    expect(await store.subscribersBehind((await victim.run('later')).row.runKey)).toEqual([])
    expect(await store.faults()).toEqual([])
    await victim.on('execution.completed', () => undefined)()
    await until(() => listeners.length === 2)
    expect(listeners).toEqual(['acme', 'acme'])
  })

  it('who was opened for one tenant drives nobody else’s runs, though they are due and nobody drives them', async () => {
    await eve.start(GOOD, {}, { runId: 'stray', queue: true })
    await eve.close()
    const row = await servicesOf(victim).store.findRun({ tenantId: EVE, runId: 'stray' })
    await servicesOf(victim).store.insertInbox(
      { tenantId: EVE, runId: 'stray' },
      { inboxId: 'signal:x', kind: 'signal', body: '{}' },
    )
    expect((await servicesOf(victim).store.dueRuns(Date.now(), 'x', 9)).map(({ runId }) => runId)).toEqual(['stray'])
    await (await victim.start(GOOD, {}, { runId: 'own' })).result()
    await new Promise((resolve) => setTimeout(resolve, 150))
    const after = await servicesOf(victim).store.findRun({ tenantId: EVE, runId: 'stray' })
    expect([after?.nextSeq, after?.epoch]).toEqual([row?.nextSeq, row?.epoch])
    eve = await openKeelson({ directory: ':memory:' })
  })
})
