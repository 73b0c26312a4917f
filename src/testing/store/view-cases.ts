/** Cases about views of the list of runs that people saved. */
import assert from 'node:assert/strict'
import type { SavedView } from '../../ports/views.ts'
import { START_MS, type StoreCase } from './store-case.ts'

const OWN: SavedView = {
  tenantId: 'tenant-a',
  viewId: 'b-own',
  ownerId: 'ana',
  isShared: false,
  name: 'what failed "today" · ü',
  filter: 'status:failed since:24h',
  savedAt: START_MS,
}
const SHARED: SavedView = { ...OWN, viewId: 'A-shared', ownerId: 'bob', isShared: true, filter: '' }
const ALIEN: SavedView = { ...OWN, viewId: 'c-foreign', tenantId: 'tenant-b', isShared: true }

export const VIEW_CASES: readonly StoreCase[] = [
  {
    title: 'a view comes back as it was put; one sees its own and the shared ones of its tenant, by id',
    run: async ({ store }) => {
      for (const view of [OWN, SHARED, ALIEN]) assert.equal(await store.putView(view), true)
      assert.deepEqual(await store.listViews('tenant-a', 'ana'), [SHARED, OWN])
      assert.deepEqual(await store.listViews('tenant-a', 'bob'), [SHARED])
      assert.deepEqual(await store.listViews('tenant-b', 'ana'), [ALIEN])
      assert.deepEqual(await store.findView('tenant-a', OWN.viewId), OWN)
      assert.equal(await store.findView('tenant-b', OWN.viewId), undefined)
    },
  },
  {
    title:
      "its owner replaces a view; another person's put leaves it as it is, and another tenant has an id for itself",
    run: async ({ store }) => {
      await store.putView(OWN)
      const changed = { ...OWN, isShared: true, name: 'other', filter: 'plan:order', savedAt: START_MS + 1 }
      assert.equal(await store.putView(changed), true)
      assert.equal(await store.putView({ ...OWN, ownerId: 'eve' }), false)
      assert.deepEqual(await store.findView('tenant-a', OWN.viewId), changed)
      assert.equal(await store.putView({ ...OWN, tenantId: 'tenant-b', ownerId: 'eve' }), true)
      assert.deepEqual(await store.findView('tenant-a', OWN.viewId), changed)
    },
  },
  {
    title: 'a view is removed once, in its tenant alone',
    run: async ({ store }) => {
      await store.putView(OWN)
      await store.putView({ ...OWN, tenantId: 'tenant-b' })
      assert.equal(await store.removeView('tenant-a', 'none'), false)
      assert.equal(await store.removeView('tenant-a', OWN.viewId), true)
      assert.equal(await store.removeView('tenant-a', OWN.viewId), false)
      assert.deepEqual(await store.listViews('tenant-a', 'ana'), [])
      assert.equal((await store.listViews('tenant-b', 'ana')).length, 1)
    },
  },
]
