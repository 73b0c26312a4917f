/** Cases about labels: written with the run, found by name and value, gone with the run's values. */
import assert from 'node:assert/strict'
import type { ListFilter, RunLabels } from '../../ports/run-store.ts'
import { newRun, summary } from './run-fixtures.ts'
import { bootstrap, commitOne, creation, rowOf, type StoreCase, type World } from './store-case.ts'

async function labelled(world: World, runId: string, labels: RunLabels, more: { tenantId?: string } = {}) {
  world.clock.advance(1)
  return bootstrap(world, { runId, ...more }, undefined, { labels })
}

async function found(world: World, filter: ListFilter, tenantId = 'tenant-a', limit = 100): Promise<readonly string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await world.store.listRuns(tenantId, filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    for (const { runId } of page.runs) ids.push(runId)
    if (page.next === undefined) return ids
    cursor = page.next
  }
}

export const LABEL_CASES: readonly StoreCase[] = [
  {
    title: 'runs are found by all of the labels that are asked for, newest first, within their tenant, page by page',
    run: async (world) => {
      await labelled(world, 'r1', { customer: 'C-1', team: 'stock' })
      await labelled(world, 'r2', { customer: 'C-1', team: 'sales' })
      await labelled(world, 'r3', { customer: 'C-2', team: 'stock' })
      await labelled(world, 'r4', { customer: 'C-1' }, { tenantId: 'tenant-b' })
      await bootstrap(world, { runId: 'r5' })
      assert.deepEqual(await found(world, { labels: { customer: 'C-1' } }), ['r2', 'r1'])
      assert.deepEqual(await found(world, { labels: { customer: 'C-1' } }, 'tenant-a', 1), ['r2', 'r1'])
      assert.deepEqual(await found(world, { labels: { team: 'stock', customer: 'C-1' } }), ['r1'])
      assert.deepEqual(await found(world, { labels: { customer: 'C-1' } }, 'tenant-b'), ['r4'])
      assert.deepEqual(await found(world, { labels: { customer: 'c-1' } }), [])
      assert.deepEqual(await found(world, { labels: { team: 'C-1' } }), [])
      assert.equal((await found(world, { labels: {} })).length, 4)
    },
  },
  {
    title: 'labels go together with every other filter, and with names and texts of any characters',
    run: async (world) => {
      const odd = { "it's": "' OR 1=1 --", 'größe %_': 'ü\n"x"' }
      const one = await labelled(world, 'r1', odd)
      await labelled(world, 'r2', { ...odd, more: '' })
      const { createdAt } = one
      assert.deepEqual(await found(world, { labels: odd }), ['r2', 'r1'])
      assert.deepEqual(await found(world, { labels: { more: '' } }), ['r2'])
      assert.deepEqual(await found(world, { labels: odd, planId: 'plan-a', status: ['RUNNING', 'PAUSED'] }), [
        'r2',
        'r1',
      ])
      assert.deepEqual(await found(world, { labels: odd, planId: 'plan-b' }), [])
      assert.deepEqual(await found(world, { labels: odd, status: ['PAUSED'] }), [])
      assert.deepEqual(await found(world, { labels: odd, createdTo: createdAt, createdFrom: createdAt }), ['r1'])
    },
  },
  {
    title: 'a run that was not created leaves no labels, and a batch gives each run its own',
    run: async (world) => {
      const first = creation(newRun({ runId: 'r1' }), undefined, { labels: { k: 'first' } })
      const second = creation(newRun({ runId: 'r2' }), undefined, { labels: { k: 'second' } })
      const again = creation(newRun({ runId: 'r1' }), undefined, { labels: { k: 'again' } })
      const plain = creation(newRun({ runId: 'r3' }))
      const kinds = (await world.store.commit([first, plain, second])).map(({ kind }) => kind)
      assert.deepEqual(kinds, ['committed', 'committed', 'committed'])
      assert.equal((await commitOne(world.store, again)).kind, 'run-exists')
      assert.deepEqual(await found(world, { labels: { k: 'first' } }), ['r1'])
      assert.deepEqual(await found(world, { labels: { k: 'second' } }), ['r2'])
      assert.deepEqual(await found(world, { labels: { k: 'again' } }), [])
      const { runKey } = (await world.store.findRun({ tenantId: 'tenant-a', runId: 'r1' })) ?? assert.fail('no run')
      assert.deepEqual((await world.store.readSides(runKey)).labels, { k: 'first' })
    },
  },
  {
    title: 'labels are made of the input, so they are gone after an erasure and after archiving [P-34]',
    run: async (world) => {
      const ended = { summary: summary({ status: 'COMPLETED', endedAt: world.clock.now() }) }
      const erased = await labelled(world, 'r1', { customer: 'C-1' })
      const archived = await bootstrap(world, { runId: 'r2' }, undefined, { labels: { customer: 'C-1' }, ...ended })
      await labelled(world, 'r3', { customer: 'C-1' })
      await world.store.eraseData(erased.runKey, 1)
      assert.equal(await world.store.archiveRun(archived.runKey, archived.headHash), 'archived')
      assert.deepEqual(await found(world, { labels: { customer: 'C-1' } }), ['r3'])
      assert.deepEqual((await world.store.readSides(erased.runKey)).labels, {})
      assert.equal((await rowOf(world.store, archived.runKey)).runId, 'r2')
    },
  },
]
