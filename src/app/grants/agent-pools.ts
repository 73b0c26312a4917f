/**
 * Agents and their owners. A plan names an agent, but a name is no permission: each tenant has its own agent of that
 * name, with its own limit and its own circuit breaker, so that one tenant's failures or load never stop the steps of
 * another. Where the deployment declares an agent, its limit also holds over all tenants; each tenant keeps its own
 * breaker.
 */
import { agentPool, breakerPool, type Units } from '../../core/plan/compile/wants.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import type { GrantStore, PoolDefinition, PoolState } from '../../ports/grants.ts'

/** For an agent that was not declared: three at a time (SCH-02). */
const AGENT_CAPACITY = 3
/** Where the deployment's limit counts, the tenant's own pool is only for its breaker. */
const UNLIMITED = 1_000_000_000
/** Every agent has a breaker (RTY-12). */
const AGENT_BREAKER = { failures: 5, openMs: 60_000 } as const
/** Agent ids contain no `@`, so the tenant is everything after the first one. */
const OWN = /^(?:agent|breaker):([^@]*)@/

/** Declared by a deployment: a limit over all runs of all tenants. */
export function agentDefinition(agentId: string, capacity: number): PoolDefinition {
  return { pool: agentPool(agentId), capacity }
}

/** The plan's name of a stored pool. */
export function planPool(pool: string): string {
  const [, agent] = OWN.exec(pool) ?? []
  return agent === undefined ? pool : agentPool(agent)
}

export function planWants(wants: Units): Units {
  return Object.fromEntries(Object.entries(wants).map(([pool, amount]) => [planPool(pool), amount]))
}

/** For each agent of a plan, the pools that its steps claim. */
export type AgentPools = ReadonlyMap<string, readonly string[]>

/** Declares the missing pools of a tenant. */
export async function agentPools(store: GrantStore, tenantId: string, graph: PlanGraph): Promise<AgentPools> {
  const agents = new Set(graph.steps.flatMap(({ agent }) => (agent === undefined ? [] : [agent])))
  if (agents.size === 0) return new Map()
  const asked = [...agents].flatMap((agent) => [agentPool(agent), ...ownPools(agent, tenantId)])
  const known = new Map((await store.listPools(asked)).map((pool) => [pool.pool, pool]))
  const pools = new Map<string, readonly string[]>()
  for (const agent of agents) {
    const fleet = known.get(agentPool(agent))
    // A deployment that declared a breaker over all tenants wants only that one.
    if (fleet?.breaker !== undefined) {
      pools.set(fleet.pool, [fleet.pool])
      continue
    }
    const own = ownDefinition(agent, tenantId, fleet)
    if (!known.has(own.pool)) await store.putPool(own, { ifAbsent: true })
    pools.set(agentPool(agent), fleet === undefined ? [own.pool] : [fleet.pool, own.pool])
  }
  return pools
}

/** The one with the limit, and the one that is for the breaker alone. */
function ownPools(agent: string, tenantId: string): readonly [string, string] {
  return [`${agentPool(agent)}@${tenantId}`, `${breakerPool(agent)}@${tenantId}`]
}

function ownDefinition(agent: string, tenantId: string, fleet: PoolState | undefined): PoolDefinition {
  const [limited, unlimited] = ownPools(agent, tenantId)
  if (fleet === undefined) return { pool: limited, capacity: AGENT_CAPACITY, breaker: AGENT_BREAKER }
  return { pool: unlimited, capacity: UNLIMITED, breaker: AGENT_BREAKER }
}

/** The stored pools for what a plan wants, ordered by name. */
export function storedWants(pools: AgentPools, wants: Units): Units {
  if (pools.size === 0) return wants
  const entries = Object.entries(wants).flatMap(([pool, amount]) =>
    (pools.get(pool) ?? [pool]).map((stored): [string, number] => [stored, amount]),
  )
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
