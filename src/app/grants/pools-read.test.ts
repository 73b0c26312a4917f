/** A start reads the pools that its plan names, and none of the others: each value of a concurrency key has left one. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { compileGraph } from '../../core/plan/compile/graph.ts'
import { loadPlan } from '../../library/plans/load-plan.ts'
import type { GrantStore } from '../../ports/grants.ts'
import { manualClock } from '../../testing/store/store-case.ts'
import { agentPools } from './agent-pools.ts'
import { checkResources } from './check-resources.ts'

const OTHERS = 1_000
const { plan } = loadPlan(`
plan: p
version: 1.0.0
steps:
  - { id: a, run: f, agent: writer, resources: { db: 1 } }
  - { id: b, run: f, agent: reader, resources: { db: 2, cpu: 1 } }
`)
const graph = compileGraph(plan)

it('reads as few pools for a plan with agents and resources among a thousand others as alone', async () => {
  const store = openMemoryStore({ clock: manualClock() })
  for (let n = 0; n < OTHERS; n += 1) await store.putPool({ pool: `limit:key%3Ap/${n}@acme`, capacity: 1 })
  for (const name of ['db', 'cpu']) await store.putPool({ pool: `resource:${name}`, capacity: 2 })
  let read = 0
  const listPools: GrantStore['listPools'] = async (pools) => {
    const found = await store.listPools(pools)
    read += found.length
    return found
  }
  await checkResources({ ...store, listPools }, graph)
  expect(read).toBe(2)
  const first = await agentPools({ ...store, listPools }, 'acme', graph)
  expect([...first.keys()]).toEqual(['agent:writer', 'agent:reader'])
  expect(await agentPools({ ...store, listPools }, 'acme', graph)).toEqual(first)
  expect(read).toBe(4)
})
