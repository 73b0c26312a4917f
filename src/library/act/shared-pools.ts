/**
 * What runs share, as one tenant may see it: its own pools and those of the whole deployment, with the tenant's own runs that hold
 * units or wait for them.
 */
import { isKeyPool } from '../../core/plan/compile/limit-pools.ts'
import type { PoolState, PoolUse, PoolUser } from '../../ports/grants.ts'
import type { RunStore } from '../../ports/run-store.ts'

export interface SharedPool extends PoolState {
  readonly holders: PoolUse['holders']
  readonly waiters: PoolUse['waiters']
}

type PoolStore = Pick<RunStore, 'listPools' | 'readPool'>

/** A pool without a tenant in its name is everybody's. */
function isSeenBy(pool: string, tenantId: string): boolean {
  const at = pool.indexOf('@')
  return at < 0 || pool.slice(at + 1) === tenantId
}

const isInUse = ({ used, waiting }: PoolState): boolean => used > 0 || waiting > 0

const NOBODY: PoolUse = { holders: [], waiters: [] }

/** Of the values of a concurrency key only those that somebody holds or waits for: each had a pool of its own once. */
export async function sharedPools(store: PoolStore, tenantId: string, limit: number): Promise<readonly SharedPool[]> {
  const isShown = (state: PoolState): boolean =>
    isSeenBy(state.pool, tenantId) && (isInUse(state) || !isKeyPool(state.pool))
  const pools = (await store.listPools()).filter(isShown)
  const shown: SharedPool[] = []
  for (const pool of pools) {
    const { holders, waiters } = isInUse(pool) ? await store.readPool(pool.pool, limit) : NOBODY
    const isOwn = (user: PoolUser): boolean => user.tenantId === tenantId
    shown.push({ ...pool, holders: holders.filter(isOwn), waiters: waiters.filter(isOwn) })
  }
  return shown
}
