/** Cases about runs that somebody holds: found by whoever may know that their holder is dead. */
import assert from 'node:assert/strict'
import { bootstrap, type StoreCase } from './store-case.ts'
import { summary } from './run-fixtures.ts'

const NOW = 10_000

export const LEASED_CASES: readonly StoreCase[] = [
  {
    title:
      'runs under a lease that still runs are found as soon as they have something to do, the first lease to end first',
    run: async (world) => {
      const lease = (owner: string, until: number) => ({ owner, until })
      const owed = summary({ owed: true })
      await bootstrap(world, { runId: 'late' }, [], { summary: owed, lease: lease('you', NOW + 30) })
      await bootstrap(world, { runId: 'soon' }, [], { summary: owed, lease: lease('me', NOW + 20) })
      const due = { summary: summary({ nextWakeAt: NOW - 1 }), lease: lease('you', NOW + 25) }
      await bootstrap(world, { runId: 'due' }, [], due)
      await bootstrap(world, { runId: 'told' }, [], { summary: summary(), lease: lease('you', NOW + 40) })
      await bootstrap(world, { runId: 'idle' }, [], { summary: summary(), lease: lease('you', NOW + 50) })
      await bootstrap(world, { runId: 'free' }, [], { summary: owed })
      const ended = { summary: summary({ owed: true, status: 'FAILED' as const }), lease: lease('you', NOW + 60) }
      await bootstrap(world, { runId: 'ended' }, [], ended)
      const inboxRow = { inboxId: 'signal:1', kind: 'signal', body: '{}' } as const
      await world.store.insertInbox({ tenantId: 'tenant-a', runId: 'told' }, inboxRow)
      const leased = async (now: number, limit = 100): Promise<readonly string[]> =>
        (await world.store.leasedRuns(now, limit)).map(({ runId }) => runId)
      assert.deepEqual(await leased(NOW), ['soon', 'due', 'late', 'told'])
      assert.deepEqual(await leased(NOW, 2), ['soon', 'due'])
      assert.deepEqual(await leased(NOW + 25), ['late', 'told'])
      assert.deepEqual(await leased(NOW + 40), [])
    },
  },
]
