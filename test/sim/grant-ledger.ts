/**
 * The world's own books about grants, kept from the records and commits alone: who holds units, who waits, what was taken of
 * each quota. After every commit they must agree with the store, to the unit (P-18, P-19, SCH-05).
 */
import { planWants } from '../../src/app/grants/agent-pools.ts'
import type { MemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import type { GrantRefusal, PoolDefinition } from '../../src/ports/grants.ts'
import type { RunCommit, RunKey } from '../../src/ports/run-store.ts'
import { slotName, type LogEvent } from './oracle-tables.ts'

type Units = Readonly<Record<string, number>>

const BYPASSED_AT_MOST = 10

const keyOf = (runKey: RunKey, slot: string, attempt: number): string => `${runKey}|${attempt}|${slot}`

interface Limit {
  readonly definition: PoolDefinition
  /** More than the capacity only after that was lowered, and never growing. */
  most: number
}

interface Promised {
  readonly attempt: number
  readonly retryAt: number
}

export class GrantLedger {
  readonly #complain: (what: string) => void
  readonly #limits = new Map<string, Limit>()
  readonly #held = new Map<string, Units>()
  readonly #waits = new Map<RunKey, Set<string>>()
  readonly #taken = new Map<string, number>()
  /** Refusals that time will lift, by run and slot: the run must be woken by then (P-19). */
  readonly #promised = new Map<RunKey, Map<string, Promised>>()
  /** Commits on their way: while one is, books and store may differ. */
  #underway = 0
  refusals = 0
  lapsed = 0
  mostBypassed = 0

  constructor(complain: (what: string) => void) {
    this.#complain = complain
  }

  declare(definition: PoolDefinition, now: number): void {
    const { pool, capacity, windowMs } = definition
    const used = windowMs === undefined ? this.#used(pool) : this.#takenIn(pool, windowMs, now)
    this.#limits.set(pool, { definition, most: Math.max(capacity, used) })
  }

  /** Slots of the run that are queued. */
  waiting(runKey: RunKey): readonly { readonly slot: string; readonly attempt: number }[] {
    return [...(this.#waits.get(runKey) ?? [])].map((key) => {
      const [, attempt, slot] = /^\d+\|(\d+)\|(.*)$/.exec(key) ?? []
      return { slot: slot ?? '', attempt: Number(attempt) }
    })
  }

  begin(): void {
    this.#underway += 1
  }

  end(): void {
    this.#underway -= 1
  }

  refused(runKey: RunKey, { claims = [] }: RunCommit, refused: readonly GrantRefusal[]): void {
    this.refusals += 1
    for (const { slot, retryAt, impossible } of refused) {
      const attempt = claims.find((claim) => claim.slot === slot)?.attempt
      if (attempt === undefined) this.#complain(`P-09 run ${runKey} was refused ${slot}, which it did not claim`)
      else if (retryAt === undefined || impossible === true) this.#promised.get(runKey)?.delete(slot)
      else this.#promisedOf(runKey).set(slot, { attempt, retryAt })
    }
  }

  /** A commit that stands, with its records. */
  take(runKey: RunKey, commit: RunCommit, events: readonly LogEvent[], now: number): void {
    const started = new Map<string, Units>()
    for (const event of events) {
      const key = keyOf(runKey, slotName(event), event.attempt)
      if (event.eventType === 'StepStarted' && event.payload['grants'] !== undefined)
        started.set(key, event.payload['grants'] as Units)
      if (event.eventType !== 'StepCompleted' && event.eventType !== 'StepFailed') continue
      this.#held.delete(key)
      started.delete(key)
    }
    const waits = this.#waits.get(runKey) ?? new Set()
    for (const [key, units] of started) {
      this.#held.set(key, units)
      waits.delete(key)
      this.#countQuotas(units, now)
    }
    if (commit.releases === 'all') waits.clear()
    this.#waits.set(runKey, waits)
    if (commit.waits === undefined) return
    this.#waits.set(runKey, new Set(commit.waits.map(({ slot, attempt }) => keyOf(runKey, slot, attempt))))
  }

  #countQuotas(units: Units, now: number): void {
    for (const [pool, amount] of Object.entries(units)) {
      const limit = this.#limits.get(pool)
      const windowMs = limit?.definition.windowMs
      if (limit === undefined || windowMs === undefined) continue
      const taken = this.#takenIn(pool, windowMs, now) + amount
      this.#taken.set(`${pool} ${Math.floor(now / windowMs)}`, taken)
      if (taken > Math.max(limit.definition.capacity, limit.most))
        this.#complain(`RES-04 ${taken} units of ${pool} were taken in one window of ${limit.definition.capacity}`)
    }
  }

  #takenIn(pool: string, windowMs: number, now: number): number {
    return this.#taken.get(`${pool} ${Math.floor(now / windowMs)}`) ?? 0
  }

  #promisedOf(runKey: RunKey): Map<string, Promised> {
    const known = this.#promised.get(runKey) ?? new Map<string, Promised>()
    this.#promised.set(runKey, known)
    return known
  }

  /** By when a waiting run must be woken because a quota or breaker opens; undefined when only a release helps. */
  wakeBy(runKey: RunKey): number | undefined {
    const promised = this.#promised.get(runKey)
    if (promised === undefined) return undefined
    const waits = this.#waits.get(runKey)
    for (const [slot, { attempt }] of promised)
      if (waits?.has(keyOf(runKey, slot, attempt)) !== true) promised.delete(slot)
    return promised.size === 0 ? undefined : Math.min(...[...promised.values()].map(({ retryAt }) => retryAt))
  }

  #used(pool: string): number {
    return [...this.#held.values()].reduce((sum, units) => sum + (units[pool] ?? 0), 0)
  }

  /** The books against the disk itself. */
  compare({ grants, runs }: MemoryDisk): void {
    if (this.#underway > 0) return
    for (const key of this.#held.keys())
      if (!grants.held.has(key)) this.#complain(`P-18 ${key} was freed before its end`)
    for (const [key, { wants }] of grants.held) {
      const units = this.#held.get(key)
      if (units === undefined) this.#complain(`P-18 ${key} holds units though no attempt of it is open`)
      // Recorded by the names of the plan, held by those of its tenant.
      else if (JSON.stringify(units) !== JSON.stringify(planWants(wants)))
        this.#complain(`P-18 ${key} holds other units than recorded`)
      const tenantId = runs[Number(key.split('|')[0]) - 1]?.row.tenantId ?? ''
      for (const pool of Object.keys(wants)) this.#checkOwner(grants, key, pool, tenantId)
    }
    const waiting = new Set([...this.#waits.values()].flatMap((keys) => [...keys]))
    for (const key of grants.waits.keys()) if (!waiting.has(key)) this.#complain(`P-19 ${key} is queued for nothing`)
    for (const key of waiting) if (!grants.waits.has(key)) this.#complain(`P-19 ${key} waits and is not in the queue`)
    for (const [pool, limit] of this.#limits) this.#checkCapacity(pool, limit)
    for (const [key, { bypassed }] of grants.waits) {
      this.mostBypassed = Math.max(this.mostBypassed, bypassed)
      if (bypassed > BYPASSED_AT_MOST) this.#complain(`SCH-05 ${key} was passed over ${bypassed} times`)
    }
  }

  /** An agent's units come from its tenant's own pool, or from one that the deployment declared. */
  #checkOwner({ pools, held }: MemoryDisk['grants'], key: string, pool: string, tenantId: string): void {
    const at = pool.indexOf('@')
    if (at >= 0 && pool.slice(at + 1) !== tenantId) this.#complain(`P-18 ${key} of ${tenantId} holds units of ${pool}`)
    if (at >= 0 || !pool.startsWith('agent:') || pools.get(pool)?.definition.breaker !== undefined) return
    const breaker = `breaker:${pool.slice('agent:'.length)}@${tenantId}`
    if (held.get(key)?.wants[breaker] === undefined)
      this.#complain(`P-18 ${key} of ${tenantId} holds units of ${pool} without a breaker of its own`)
  }

  #checkCapacity(pool: string, limit: Limit): void {
    const { capacity, windowMs } = limit.definition
    if (windowMs !== undefined) return
    const used = this.#used(pool)
    if (used > limit.most) this.#complain(`RES-01 ${used} units of ${pool} are held, of ${capacity}`)
    limit.most = Math.max(capacity, Math.min(limit.most, used))
  }

  /** When everything has ended nothing is held and nobody waits. */
  checkEnd(): void {
    for (const key of this.#held.keys()) this.#complain(`P-18 ${key} still holds units at the end`)
    for (const [runKey, keys] of this.#waits)
      if (keys.size > 0) this.#complain(`P-19 run ${runKey} still waits at the end`)
  }
}
