/**
 * The limits that hold for starts, by tenant. They lie in the store and may change at any time; what is known of them here is at most a
 * second old. Counting is the store's: a start claims units in the commit that writes its RunStarted.
 */
import { least } from '../../core/collections/extremes.ts'
import { limitOfPool, limitPool, ratePool, tenantOfLimitPool } from '../../core/plan/compile/limit-pools.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { RUN_SLOT } from '../../core/events/slot.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import type { RunLimit } from '../../ports/admission.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GrantRequest, PoolDefinition } from '../../ports/grants.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import { mapValue } from '../expressions/map-input.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'

type LimitStore = Pick<RunStore, 'listLimits' | 'putPool' | 'listPools'>

export interface StartGate {
  /** What the start claims, in the name of the run itself. */
  readonly request: GrantRequest
  readonly limits: readonly RunLimit[]
}

interface Known {
  readonly at: number
  readonly limits: Promise<readonly RunLimit[]>
}

const KNOWN_MS = 1_000
const TENANTS_KEPT = 1_000
const POOLS_KEPT = 10_000
const MINUTE_MS = 60_000
/** A limit that was taken away leaves its pools behind, with room for all. */
const UNLIMITED = 1_000_000_000
const HASH_CHARS = 32

export class StartLimits {
  readonly #store: LimitStore
  readonly #clock: Clock
  readonly #known = new BoundedCache<string, Known>(TENANTS_KEPT)
  /** Pools with the capacity that this process last gave them. */
  readonly #declared = new BoundedCache<string, number>(POOLS_KEPT)

  constructor(store: LimitStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async of(tenantId: string): Promise<readonly RunLimit[]> {
    const now = this.#clock.now()
    const known = this.#known.get(tenantId)
    if (known !== undefined && Math.abs(now - known.at) < KNOWN_MS) return known.limits
    const limits = this.#store.listLimits(tenantId)
    this.#known.set(tenantId, { at: now, limits })
    limits.catch(() => this.#known.delete(tenantId))
    return limits
  }

  /** What a start of this plan claims; undefined where nothing limits it. */
  async gateOf(tenantId: string, plan: Plan, input: () => Promise<unknown> | unknown): Promise<StartGate | undefined> {
    const limits = (await this.of(tenantId)).filter((limit) => concerns(limit, plan))
    const counted: RunLimit[] = []
    const wants: Record<string, number> = {}
    for (const limit of limits) {
      const key = limit.name.startsWith('key:') ? keyOf(plan, await input()) : undefined
      for (const definition of poolsOf(limit, key)) {
        await this.#declare(definition)
        wants[definition.pool] = 1
        counted.push(limit)
      }
    }
    if (counted.length === 0) return undefined
    const priority = least(counted.map((limit) => limit.priority))
    return { request: { slot: RUN_SLOT, attempt: 1, wants, priority }, limits: counted }
  }

  /** Throws where the plan asks for more than an administrator allows its tenant (SCH-12). */
  async needQuota(tenantId: string, { policy: { concurrency }, metadata: { planId } }: Plan): Promise<void> {
    const limits = await this.of(tenantId)
    const most = limits.find(({ name }) => name === 'tenant')?.maxConcurrentSteps
    if (most === undefined || concurrency <= most) return
    fail('PLAN_OVER_QUOTA', `${planId} may have ${concurrency} steps in flight at once, and its tenant ${most}`, {
      hint: `write policy: { concurrency: ${most} }`,
    })
  }

  /** After a limit was set or taken away: what is counted now is counted against the new one. */
  async changed(tenantId: string, name: string, limit: RunLimit | undefined): Promise<void> {
    this.#known.delete(tenantId)
    for (const { pool, windowMs } of await this.#store.listPools()) {
      if (tenantOfLimitPool(pool) !== tenantId || limitOfPool(pool) !== name) continue
      const capacity = (windowMs === undefined ? limit?.maxRunning : limit?.ratePerMinute) ?? UNLIMITED
      await this.#store.putPool({ pool, capacity, ...(windowMs === undefined ? {} : { windowMs }) })
      this.#declared.set(pool, capacity)
    }
  }

  async #declare(definition: PoolDefinition): Promise<void> {
    const { pool, capacity } = definition
    if (this.#declared.get(pool) === capacity) return
    await this.#store.putPool(definition)
    this.#declared.set(pool, capacity)
  }
}

function concerns({ name }: RunLimit, { metadata, concurrencyKey }: Plan): boolean {
  const { planId } = metadata
  if (name === `key:${planId}`) return concurrencyKey !== undefined
  return name === 'tenant' || name === `plan:${planId}`
}

/** Equal values count together, whatever they are; a pool's name tells none of them. */
function keyOf({ concurrencyKey = '' }: Plan, input: unknown): string {
  const value = unwrap(mapValue(concurrencyKey, { input }))
  return sha256Hex(canonicalText(value)).slice(0, HASH_CHARS)
}

function poolsOf({ tenantId, name, maxRunning, ratePerMinute }: RunLimit, key?: string): readonly PoolDefinition[] {
  const pool = limitPool(tenantId, name, key)
  return [
    ...(maxRunning === undefined ? [] : [{ pool, capacity: maxRunning }]),
    ...(ratePerMinute === undefined ? [] : [{ pool: ratePool(pool), capacity: ratePerMinute, windowMs: MINUTE_MS }]),
  ]
}

/** When asking again may help, where no window of time says it. */
export const RETRY_MS = LIMITS.admissionRetryMs
