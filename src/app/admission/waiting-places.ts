/** Where a run that has not started stands in the queues of the limits it waits for, and who would have to end first. */
import { RUN_SLOT } from '../../core/events/slot.ts'
import { isRatePool, limitOfPool } from '../../core/plan/compile/limit-pools.ts'
import type { PoolState, PoolUse } from '../../ports/grants.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'

export interface WaitingPlace {
  /** The name of the limit. */
  readonly limit: string
  /** 1: the next to start, as far as this limit goes. */
  readonly position: number
  readonly since: number
  /** Runs of the same tenant that have the places, oldest first; none where only time gives room. */
  readonly heldBy: readonly string[]
  /** It is a place among the starts of a minute: the next minute has room again. */
  readonly perMinute?: true
  /** There is room here: it waits for another limit, and takes all of its places at once. */
  readonly hasRoom?: true
}

type PlaceStore = Pick<RunStore, 'readGrants' | 'readPool' | 'listPools'>

const LOOKED_AT = 1_000
const SHOWN = 10

/** Of one list of runs: each pool is read once. */
export class WaitingPlaces {
  readonly #store: PlaceStore
  readonly #pools = new Map<string, Promise<PoolUse>>()
  readonly #states = new Map<string, Promise<PoolState | undefined>>()

  constructor(store: PlaceStore) {
    this.#store = store
  }

  async of({ runKey, runId, tenantId, status }: RunRow): Promise<readonly WaitingPlace[]> {
    if (status !== 'PENDING' && status !== 'APPROVED') return []
    const { waits } = await this.#store.readGrants(runKey)
    const { wants = {}, since = 0 } = waits.find(({ slot }) => slot === RUN_SLOT) ?? {}
    const places: WaitingPlace[] = []
    for (const pool of Object.keys(wants)) {
      const limit = limitOfPool(pool)
      if (limit === undefined) continue
      const isRate = isRatePool(pool)
      const { holders, waiters } = await this.#use(pool)
      const index = waiters.findIndex((waiter) => waiter.runId === runId && waiter.tenantId === tenantId)
      const own = isRate ? [] : holders.filter((holder) => holder.tenantId === tenantId)
      const heldBy = own.slice(0, SHOWN).map((holder) => holder.runId)
      const rate = isRate ? ({ perMinute: true } as const) : {}
      const room = (await this.#hasRoom(pool)) ? ({ hasRoom: true } as const) : {}
      if (index >= 0) places.push({ limit, position: index + 1, since, heldBy, ...rate, ...room })
    }
    return places
  }

  async #hasRoom(pool: string): Promise<boolean> {
    const state = this.#states.get(pool) ?? this.#store.listPools([pool]).then(([found]) => found)
    this.#states.set(pool, state)
    const { used = 0, capacity = 0 } = (await state) ?? {}
    return used < capacity
  }

  #use(pool: string): Promise<PoolUse> {
    const known = this.#pools.get(pool) ?? this.#store.readPool(pool, LOOKED_AT)
    this.#pools.set(pool, known)
    return known
  }
}
