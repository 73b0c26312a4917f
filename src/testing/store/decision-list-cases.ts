/** Cases about lists of decisions: by time, page by page, of a run, and of what still waits. */
import assert from 'node:assert/strict'
import type { DecisionFilter } from '../../ports/decisions.ts'
import { decision } from './decision-fixtures.ts'
import { bootstrap, refusedWith, START_MS, type StoreCase, type World } from './store-case.ts'

async function listed(world: World, filter: DecisionFilter, limit: number, tenantId = 'tenant-a') {
  const ids: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await world.store.listDecisions(tenantId, filter, {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { signalDecisionId } of page.decisions) ids.push(signalDecisionId.slice('decision-'.length))
    if (page.next === undefined) return ids.join(' ')
    cursor = page.next
  }
}

export const DECISION_LIST_CASES: readonly StoreCase[] = [
  {
    title: 'decisions are listed by time, then as they came, page by page, of a tenant or of one run',
    run: async (world) => {
      for (const runId of ['r1', 'r2']) await bootstrap(world, { runId })
      await bootstrap(world, { runId: 'r1', tenantId: 'tenant-b' })
      const same = { timestamp: START_MS }
      for (const one of [
        decision(5),
        decision(3, { audit: same }),
        decision(4, { audit: same, decision: 'PENDING' }),
        decision(1, { runId: 'r2', decision: 'PENDING' }),
        decision(6, { audit: { tenantId: 'tenant-b' } }),
        decision(2),
      ])
        assert.deepEqual(await world.store.recordDecision(one), { kind: 'recorded' })
      for (const limit of [1, 2, 100]) {
        assert.equal(await listed(world, {}, limit), '3 4 1 2 5')
        assert.equal(await listed(world, { runId: 'r1' }, limit), '3 4 2 5')
        assert.equal(await listed(world, { state: 'PENDING' }, limit), '4 1')
        assert.equal(await listed(world, { state: 'PENDING', runId: 'r2' }, limit), '1')
        assert.equal(await listed(world, {}, limit, 'tenant-b'), '6')
        assert.equal(await listed(world, { runId: 'none' }, limit), '')
      }
    },
  },
  {
    title: 'a cursor that is none, and a list without a tenant, are refused',
    run: async ({ store }) => {
      await refusedWith('LIST_CURSOR_INVALID', () =>
        store.listDecisions('tenant-a', {}, { limit: 1, cursor: '1; DROP' }),
      )
      await refusedWith('STORE_SCOPE_MISSING', () => store.listDecisions('', {}, { limit: 1 }))
    },
  },
  {
    title: 'what is settled between two pages leaves the list of what waits, and no other is passed over',
    run: async (world) => {
      await bootstrap(world, { runId: 'r1' })
      for (const number of [1, 2, 3]) await world.store.recordDecision(decision(number, { decision: 'PENDING' }))
      const first = await world.store.listDecisions('tenant-a', { state: 'PENDING' }, { limit: 1 })
      const settlement = { decision: 'REJECTED', approvedBy: 'bob', approvalTimestamp: START_MS } as const
      for (const id of ['decision-1', 'decision-2']) await world.store.settleDecision('tenant-a', id, settlement)
      const cursor = first.next ?? assert.fail('there is a second page')
      const rest = await world.store.listDecisions('tenant-a', { state: 'PENDING' }, { limit: 9, cursor })
      assert.deepEqual(
        rest.decisions.map(({ signalId }) => signalId),
        ['s3'],
      )
    },
  },
]
