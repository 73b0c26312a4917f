/** Connections in hand: used again at once, never kept from whoever waits, given back after a moment, dropped when lost. */
import { EventEmitter } from 'node:events'
import type { Pool, PoolClient } from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeptClients } from './kept-clients.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class FakeClient extends EventEmitter {
  readonly released: unknown[] = []
  release(error?: unknown): void {
    this.released.push(error)
  }
}

function pooled() {
  const pool = Object.assign(new EventEmitter(), {
    waitingCount: 0,
    made: [] as FakeClient[],
    connect: async () => {
      const client = new FakeClient()
      pool.made.push(client)
      pool.emit('connect', client)
      return client
    },
  })
  const clients = new KeptClients(pool as unknown as Pool)
  return {
    pool,
    clients,
    use: (work: () => Promise<unknown>) => clients.use(work as (client: PoolClient) => Promise<unknown>),
  }
}
const nothing = async () => undefined

it('one statement after another has the same connection, which goes back a second after the first', async () => {
  const { pool, use } = pooled()
  for (let turn = 0; turn < 5; turn++) await use(nothing)
  expect(pool.made.map(({ released }) => released)).toEqual([[]])
  vi.advanceTimersByTime(1_000)
  expect(pool.made.map(({ released }) => released)).toEqual([[undefined]])
  await use(nothing)
  expect(pool.made.length).toBe(2)
})

it('statements at once have one each; whoever waits for the pool gets the first that is free', async () => {
  const { pool, use } = pooled()
  await Promise.all([use(nothing), use(nothing)])
  expect(pool.made.length).toBe(2)
  pool.waitingCount = 1
  await use(nothing)
  expect(pool.made.map(({ released }) => released.length).toSorted()).toEqual([0, 1])
})

it('a connection that is lost while nobody uses it is not used again', async () => {
  const { pool, use } = pooled()
  await use(nothing)
  const lost = new Error('the server stopped')
  pool.made[0]?.emit('error', lost)
  expect(pool.made[0]?.released).toEqual([lost])
  await use(nothing)
  expect(pool.made.length).toBe(2)
})

it('after an error of the server it goes back whole, after one of the connection it is thrown away', async () => {
  const { pool, use } = pooled()
  const refused = Object.assign(new Error('refused'), { code: '23505' })
  const cut = new Error('Connection terminated unexpectedly')
  for (const error of [refused, cut]) await expect(use(() => Promise.reject(error))).rejects.toBe(error)
  expect(pool.made.map(({ released }) => released)).toEqual([[undefined], [cut]])
})

it('once it is closed nothing stays in hand', async () => {
  const { pool, clients, use } = pooled()
  await use(nothing)
  clients.close()
  await use(nothing)
  expect(pool.made.map(({ released }) => released)).toEqual([[undefined], [undefined]])
})
