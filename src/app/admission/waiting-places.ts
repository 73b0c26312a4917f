/** Where a run that has not started stands in the queues of the limits it waits for, and who would have to end first. */
import { RUN_SLOT } from '../../core/events/slot.ts'
import { limitOfPool } from '../../core/plan/compile/limit-pools.ts'
import type { PoolUse } from '../../ports/grants.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'

export interface WaitingPlace {
  /** The name of the limit. */
  readonly limit: string
  /** 1: the next to start, as far as this limit goes. */
  readonly position: number
  readonly since: number
  /** Runs of the same tenant that have the places, oldest first; none where only time gives room. */
  readonly heldBy: readonly string[]
}

type PlaceStore = Pick<RunStore, 'readGrants' | 'readPool'>

const LOOKED_AT = 1_000
const SHOWN = 10

/** Of one list of runs: each pool is read once. */
export class WaitingPlaces {
  readonly #store: PlaceStore
  readonly #pools = new Map<string, Promise<PoolUse>>()

  constructor(store: PlaceStore) {
    this.#store = store
  }

  async of({ runKey, runId, tenantId, status }: RunRow): Promise<readonly WaitingPlace[]> {
    if (status !== 'PENDING' && status !== 'APPROVED') return []
    const { waits } = await this.#store.readGrants(runKey)
    const own = waits.find(({ slot }) => slot === RUN_SLOT)
    const places: WaitingPlace[] = []
    for (const pool of Object.keys(own?.wants ?? {})) {
      const limit = limitOfPool(pool)
      if (limit === undefined || own === undefined) continue
      const { holders, waiters } = await this.#use(pool)
      const index = waiters.findIndex((waiter) => waiter.runId === runId && waiter.tenantId === tenantId)
      const heldBy = holders.filter((holder) => holder.tenantId === tenantId).map((holder) => holder.runId)
      if (index >= 0) places.push({ limit, position: index + 1, since: own.since, heldBy: heldBy.slice(0, SHOWN) })
    }
    return places
  }

  #use(pool: string): Promise<PoolUse> {
    const known = this.#pools.get(pool) ?? this.#store.readPool(pool, LOOKED_AT)
    this.#pools.set(pool, known)
    return known
  }
}
