/**
 * What runs compete for: a few agents and resources with little to give, one of them a quota by the second, some with a
 * breaker. Everything a plan wants of them could be had if nobody else wanted it.
 */
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { Rng } from './random.ts'

export interface Competition {
  readonly pools: readonly PoolDefinition[]
  readonly agents: readonly string[]
  /** By resource, the most a step may want. */
  readonly resources: Readonly<Record<string, number>>
}

export function makeCompetition(rng: Rng, withFailures: boolean): Competition {
  const breaker = (): Pick<PoolDefinition, 'breaker'> =>
    rng.chance(0.5) ? { breaker: { failures: rng.int(2, 4), openMs: rng.pick([1000, 4000]) } } : {}
  const declared: PoolDefinition[] = [
    { pool: 'agent:ann', capacity: rng.int(1, 2), ...breaker() },
    { pool: 'agent:bob', capacity: rng.int(1, 3), ...breaker() },
    { pool: 'resource:db', capacity: rng.int(1, 3) },
    { pool: 'resource:mail', capacity: rng.int(2, 4), windowMs: rng.pick([1000, 3000]) },
    { pool: 'resource:press', capacity: 1 },
  ]
  const resources = declared.flatMap(({ pool, capacity }): [string, number][] =>
    pool.startsWith('resource:') ? [[pool.slice('resource:'.length), Math.min(3, capacity)]] : [],
  )
  // Nobody declared the last one: its breaker opens for a minute, which a run of failures would make hours of.
  const agents = withFailures ? ['ann', 'bob'] : ['ann', 'bob', 'eve']
  return { pools: declared, agents, resources: Object.fromEntries(resources) }
}

export function wantsOf(rng: Rng, { agents, resources }: Competition): Readonly<Record<string, unknown>> {
  const names = Object.keys(resources)
  const chosen = rng.chance(0.55)
    ? new Set(Array.from({ length: rng.int(1, 2) }, () => rng.pick(names)))
    : new Set([''])
  const amounts = [...chosen].flatMap((name): [string, number][] =>
    name === '' ? [] : [[name, rng.int(1, resources[name] ?? 1)]],
  )
  return {
    ...(rng.chance(0.45) ? { agent: rng.pick(agents) } : {}),
    ...(amounts.length === 0 ? {} : { resources: Object.fromEntries(amounts) }),
    ...(rng.chance(0.3) ? { priority: rng.int(-1, 2) } : {}),
  }
}
