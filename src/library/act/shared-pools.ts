/**
 * What runs share, as one tenant may see it: its own pools and those of the whole deployment, with the tenant's own runs that hold
 * units or wait for them.
 */
import type { PoolState, PoolUser } from '../../ports/grants.ts'
import type { RunStore } from '../../ports/run-store.ts'

export interface SharedPool extends PoolState {
  readonly holders: readonly PoolUser[]
  readonly waiters: readonly (PoolUser & { readonly since: number })[]
}

type PoolStore = Pick<RunStore, 'listPools' | 'readPool'>

/** A pool without a tenant in its name is everybody's. */
function isSeenBy(pool: string, tenantId: string): boolean {
  const at = pool.indexOf('@')
  return at < 0 || pool.slice(at + 1) === tenantId
}

export async function sharedPools(store: PoolStore, tenantId: string, limit: number): Promise<readonly SharedPool[]> {
  const pools = (await store.listPools()).filter(({ pool }) => isSeenBy(pool, tenantId))
  const shown: SharedPool[] = []
  for (const pool of pools) {
    const { holders, waiters } = await store.readPool(pool.pool, limit)
    const isOwn = (user: PoolUser): boolean => user.tenantId === tenantId
    shown.push({ ...pool, holders: holders.filter(isOwn), waiters: waiters.filter(isOwn) })
  }
  return shown
}
