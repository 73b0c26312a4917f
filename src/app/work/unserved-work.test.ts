/** Steps that wait for remote workers which nobody runs are told to people, once. */
import assert from 'node:assert/strict'
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import type { Alert } from '../../core/alerts/catalogue.ts'
import type { StoredWork } from '../../ports/work.ts'
import { newRun } from '../../testing/store/run-fixtures.ts'
import { commitOne, creation } from '../../testing/store/store-case.ts'
import { countingStore } from '../../../test/fixtures/counting-store.ts'
import { UnservedWork } from './unserved-work.ts'

const BEGAN = 1_700_000_000_000

async function world() {
  let now = BEGAN
  const clock = { now: () => now }
  const store = openMemoryStore({ clock })
  const created = await commitOne(store, creation(newRun({ runId: 'train-1', tenantId: 'acme' })))
  assert.equal(created.kind, 'committed')
  const row = await store.findRun({ tenantId: 'acme', runId: 'train-1' })
  const told: Alert[] = []
  const { store: counted, count } = countingStore(store)
  const unserved = new UnservedWork(counted, clock, (alert) => told.push(alert))
  const work = (slot: string, more: Partial<StoredWork> = {}): StoredWork => ({
    runKey: row?.runKey ?? 0,
    slot,
    attempt: 1,
    tenantId: 'acme',
    revision: 1,
    state: 'offered',
    queue: 'gpu',
    handler: 'train',
    irreversible: false,
    secrets: false,
    engineAttempt: 1,
    offeredAt: BEGAN,
    touchedAt: BEGAN,
    claims: 0,
    body: '{}',
    ...more,
  })
  const asks = (queues: readonly string[], handlers: readonly string[]) =>
    store.noteWorker({
      tenantId: 'acme',
      worker: 'w1',
      actorId: 'ana',
      askedAt: now,
      body: JSON.stringify({ queues, handlers }),
    })
  return { unserved, told, work, asks, asked: () => count('listWorkers'), after: (ms: number) => void (now += ms) }
}

it('tells once, after half a minute, which queue and function nobody serves, and who waits for it', async () => {
  const { unserved, told, work, after } = await world()
  const waiting = [work('a'), work('b'), work('c', { handler: 'serve' })]
  await unserved.look(waiting)
  after(29_999)
  await unserved.look(waiting)
  expect(told).toEqual([])
  after(1)
  await unserved.look(waiting)
  after(60_000)
  await unserved.look(waiting)
  expect(told).toMatchObject([
    { code: 'WORK_UNSERVED', priority: 'P2', tenantId: 'acme', runId: 'train-1' },
    { code: 'WORK_UNSERVED', runId: 'train-1' },
  ])
  expect(told[0]?.detail).toMatch(/^a waits for a worker of the queue 'gpu' that can do 'train', .* no worker ever did/)
  expect(told[1]?.detail).toMatch(/^c waits .* 'serve'/)
})

it('says nothing while a worker asks for it or has some of it, and tells again when it is left alone', async () => {
  const { unserved, told, work, asks, after } = await world()
  const waiting = [work('a')]
  after(40_000)
  await asks(['gpu', 'cpu'], ['train'])
  await unserved.look(waiting)
  after(240_000)
  const claim = { sha256: 'f'.repeat(64), worker: 'w1', at: BEGAN, until: BEGAN + 900_000, leaseMs: 30_000 }
  await unserved.look([...waiting, work('b', { state: 'claimed', claims: 1, claim })])
  after(120_000)
  await unserved.look([...waiting, work('b', { state: 'claimed', claims: 1, claim })])
  expect(told).toEqual([])
  await unserved.look(waiting)
  expect(told).toHaveLength(1)
  expect(told[0]?.detail).toContain(`the last worker did at ${new Date(BEGAN + 40_000).toISOString()}`)
  await asks(['gpu'], ['train'])
  after(10_000)
  await unserved.look(waiting)
  after(400_000)
  await unserved.look(waiting)
  expect(told).toHaveLength(2)
})

it('a worker of another queue or function does not serve it', async () => {
  const { unserved, told, work, asks, after } = await world()
  await asks(['gpu'], ['serve'])
  after(30_000)
  await unserved.look([work('a')])
  expect(told).toHaveLength(1)
})

it('tells again of what was served without a look in between, and asks for the workers of a tenant once a look', async () => {
  const { unserved, told, work, asks, after, asked } = await world()
  after(40_000)
  const many = Array.from({ length: 20 }, (_, at) => work(`s${at}`, { handler: `f${at}` }))
  await unserved.look(many)
  expect([told.length, asked()]).toEqual([20, 1])
  // A worker comes, does the first and goes: when it is looked again, it has been silent for long.
  await asks(['gpu'], ['f0'])
  after(400_000)
  await unserved.look(many)
  expect(told.slice(20).map(({ detail }) => detail.slice(0, 8))).toEqual(['s0 waits'])
  expect(asked()).toBe(2)
})
