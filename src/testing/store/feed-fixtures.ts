/** Helpers for cases about the feed: reading, settling, draining, and three runs to use. */
import assert from 'node:assert/strict'
import type { Delivery, FeedItem, FeedPage, FeedStatus } from '../../ports/feed.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { allEvents, bootstrap, commitOne, nextCommit, rowOf, step, type World } from './store-case.ts'

export const NOW = 1000
export const SUB = 'audit'

export const read = (store: RunStore, name = SUB, limit = 100, now = NOW): Promise<FeedPage> =>
  store.readFeed(name, { now, limit })

export const delivered = ({ runKey, event }: FeedItem): Delivery => ({
  runKey,
  runSeq: event.runSeq,
  result: 'delivered',
})
export const failed = ({ runKey, event }: FeedItem, retryAt: number): Delivery => ({
  runKey,
  runSeq: event.runSeq,
  result: 'failed',
  retryAt,
  error: 'refused',
})
export const dead = ({ runKey, event }: FeedItem): Delivery => ({
  runKey,
  runSeq: event.runSeq,
  result: 'dead',
  error: 'no use',
})

/** Settles the given items of a page. */
export async function settle(
  store: RunStore,
  page: FeedPage,
  deliveries: readonly Delivery[],
  name = SUB,
): Promise<void> {
  await store.settleFeed(name, { position: page.position, deliveries })
}

/** Reads and settles until nothing comes; returns the runSeqs by run in order of arrival. */
export async function drain(
  store: RunStore,
  name = SUB,
  limit = 100,
  now = NOW,
): Promise<ReadonlyMap<string, number[]>> {
  const seen = new Map<string, number[]>()
  for (;;) {
    const page = await read(store, name, limit, now)
    assert.ok(page.items.length <= limit)
    if (page.items.length === 0) return seen
    for (const { run, event } of page.items) seen.set(run.runId, [...(seen.get(run.runId) ?? []), event.runSeq])
    await settle(store, page, page.items.map(delivered), name)
  }
}

export async function seqs(store: RunStore, { runKey }: RunRow): Promise<readonly number[]> {
  return (await allEvents(store, runKey)).map(({ runSeq }) => runSeq)
}

/** Appends one event per slot to a run. */
export async function append(world: World, { runKey }: RunRow, ...slots: readonly string[]): Promise<void> {
  const row = await rowOf(world.store, runKey)
  const commit = nextCommit(
    row,
    slots.map((slot) => step('StepStarted', slot)),
  )
  assert.equal((await commitOne(world.store, commit)).kind, 'committed')
}

/** Three runs of two tenants, their events interleaved: 4, 2 and 1. */
export async function threeRuns(world: World): Promise<readonly [RunRow, RunRow, RunRow]> {
  const one = await bootstrap(world, { runId: 'r1' })
  const two = await bootstrap(world, { runId: 'r2', tenantId: 'tenant-b' })
  await append(world, one, 'a', 'b')
  const three = await bootstrap(world, { runId: 'r3' })
  await append(world, two, 'a')
  await append(world, one, 'c')
  return [one, two, three]
}

export const itemsOf = (page: FeedPage, { runKey }: RunRow): readonly FeedItem[] =>
  page.items.filter((item) => item.runKey === runKey)
export const firstOf = (page: FeedPage, run: RunRow): FeedItem =>
  itemsOf(page, run)[0] ?? assert.fail(`nothing came of ${run.runId}`)

export async function statusOf(store: RunStore, name = SUB): Promise<FeedStatus> {
  const { runsBehind, runsBlocked, deadLetters } = await store.feedStatus(name)
  return { runsBehind, runsBlocked, deadLetters }
}

export const NONE: FeedStatus = { runsBehind: 0, runsBlocked: 0, deadLetters: 0 }
