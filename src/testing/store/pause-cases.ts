/** Cases about pauses that span runs: read by those they concern while they hold, and remembered afterwards. */
import assert from 'node:assert/strict'
import { refusedWith, type StoreCase } from './store-case.ts'

export const PAUSE_CASES: readonly StoreCase[] = [
  {
    title: "pauses are read by the tenant they concern: its own and the fleet's",
    run: async ({ store }) => {
      const own = { pauseId: 'p1', scope: 'plan:x', tenantId: 'tenant-a', reason: 'why', active: true }
      const fleet = { pauseId: 'p2', scope: 'fleet', active: true }
      const foreign = { pauseId: 'p1', scope: 'tenant', tenantId: 'tenant-b', active: true }
      for (const pause of [own, fleet, foreign]) await store.putScopePause(pause)
      assert.deepEqual(await store.readScopePauses('tenant-a'), [own, fleet])
      assert.deepEqual(await store.readScopePauses('tenant-b'), [fleet, foreign])
    },
  },
  {
    title: 'a pause that is over is read by nobody, and is still the last of its scope; who set one, and when, is kept',
    run: async (world) => {
      const { store } = world
      const said = { setBy: 'ana', setAt: 1_700_000_000_001, since: 1_700_000_000_000 }
      const first = { pauseId: 'p1', scope: 'plan:x', tenantId: 'tenant-a', reason: 'why', active: true }
      const second = { ...first, ...said, pauseId: 'p2', reason: 'again' }
      await store.putScopePause({ ...first, active: false })
      assert.deepEqual(await store.readScopePauses('tenant-a'), [])
      assert.deepEqual(await store.lastScopePause('tenant-a', 'plan:x'), { ...first, active: false })
      await store.putScopePause(second)
      await store.putScopePause({ ...first, pauseId: 'p3', active: false })
      await store.putScopePause({ pauseId: 'p4', scope: 'fleet', active: true })
      await store.putScopePause({ ...second, setBy: 'bob' })
      const again = await world.reopen()
      assert.deepEqual(await again.lastScopePause('tenant-a', 'plan:x'), { ...second, setBy: 'bob' })
      assert.deepEqual((await again.readScopePauses('tenant-a'))[0], { ...second, setBy: 'bob' })
      assert.equal(await again.lastScopePause('tenant-b', 'plan:x'), undefined)
      assert.equal(await again.lastScopePause('tenant-a', 'fleet'), undefined)
      await refusedWith('STORE_SCOPE_MISSING', () => again.lastScopePause('', 'plan:x'))
    },
  },
]
