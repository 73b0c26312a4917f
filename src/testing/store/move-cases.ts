/** Cases about which runs moved since a position of the feed: each once, as it is now, and nothing is stored for who asks. */
import assert from 'node:assert/strict'
import type { MovedPage, MovedRun } from '../../ports/feed.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { append, NONE, statusOf, threeRuns } from './feed-fixtures.ts'
import { bootstrap, rowOf, type StoreCase } from './store-case.ts'

async function pageAfter(store: RunStore, position: string | undefined, limit = 100): Promise<MovedPage> {
  return (await store.readMoves(position, limit)) ?? assert.fail(`'${position}' is not known`)
}

/** All pages; a run may be in several. */
async function movedSince(store: RunStore, from: string, limit: number): Promise<ReadonlyMap<string, MovedRun>> {
  const found = new Map<string, MovedRun>()
  for (let position = from; ;) {
    const page = await pageAfter(store, position, limit)
    const names = page.runs.map(({ runKey }) => runKey)
    assert.equal(new Set(names).size, names.length)
    for (const one of page.runs) found.set(`${one.run.tenantId}/${one.run.runId}`, one)
    if (!page.more) return found
    assert.notEqual(page.position, position)
    position = page.position
  }
}

export const MOVE_CASES: readonly StoreCase[] = [
  {
    title: 'what moved after a position is told, each run as it is now, whatever the size of the pages',
    run: async (world) => {
      const { store } = world
      const early = await bootstrap(world, { runId: 'r0' })
      const { position, runs, more } = await pageAfter(store, undefined)
      assert.deepEqual([runs, more], [[], false])
      const moved = await threeRuns(world)
      for (const limit of [1, 2, 3, 100]) {
        const found = await movedSince(store, position, limit)
        assert.equal(found.size, 3, `pages of ${limit}`)
        for (const { runKey, tenantId, runId } of moved) {
          const { status, nextSeq, updatedAt } = await rowOf(store, runKey)
          const run = { tenantId, runId }
          assert.deepEqual(found.get(`${tenantId}/${runId}`), {
            runKey,
            run,
            status,
            lastEventSeq: nextSeq - 1,
            updatedAt,
          })
        }
      }
      const end = await pageAfter(store, undefined)
      assert.deepEqual((await pageAfter(store, end.position)).runs, [])
      await append(world, early, 'z')
      assert.deepEqual([...(await movedSince(store, end.position, 100)).keys()], [`${early.tenantId}/r0`])
    },
  },
  {
    title: 'asking what moved stores nothing: no subscriber, nothing to wait for, and a position outlives a reopening',
    run: async (world) => {
      const { position } = await pageAfter(world.store, undefined)
      const row = await bootstrap(world, { runId: 'r1' })
      await pageAfter(world.store, position)
      assert.deepEqual(await world.store.subscribersBehind(row.runKey), [])
      assert.equal((await statusOf(world.store)).runsBehind, NONE.runsBehind + 1)
      const store = await world.reopen()
      assert.deepEqual([...(await movedSince(store, position, 100)).keys()], [`${row.tenantId}/r1`])
    },
  },
  {
    title: 'a position that is not of this feed, or lies beyond its end, is not known',
    run: async ({ store }) => {
      for (const position of [
        '',
        'nonsense',
        '-1',
        '999999999999999',
        '9.1.1',
        '1.999999999999999.0',
        '1.1.99999999999999999999',
      ])
        assert.equal(await store.readMoves(position, 10), undefined, position)
    },
  },
]
