/** Limits for starts of one tenant: listed, set and taken away while runs go on. Who set one and when is kept with it. */
import type { Principal } from '../../app/principal.ts'
import { mustFitNames } from '../../app/log/fitting.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { LIMITS } from '../../core/limits.ts'
import { COUNT, needText, NUMBER, oneOf, TEXT } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunLimit, WhenFull } from '../../ports/admission.ts'
import { sharedPools, type SharedPool } from './shared-pools.ts'
import type { Parts } from '../parts.ts'

export interface LimitOptions {
  /** `tenant`, `plan:<planId>`, or `key:<planId>`: for each value of the plan's `concurrencyKey`. */
  readonly name: string
  readonly maxRunning?: number
  readonly ratePerMinute?: number
  /** Of `tenant` only: the most that a plan may ask for as its `concurrency`. */
  readonly maxConcurrentSteps?: number
  /** Default `QUEUE`. */
  readonly whenFull?: WhenFull
  /** Lower goes first among those that wait. Default 0. */
  readonly priority?: number
}

const LIMIT: OptionNames<LimitOptions> = {
  name: TEXT,
  maxRunning: COUNT,
  ratePerMinute: COUNT,
  maxConcurrentSteps: COUNT,
  whenFull: oneOf('REJECT', 'QUEUE', 'DELAY', 'REPLACE_OLDEST'),
  priority: NUMBER,
}
const USERS_SHOWN = 100
const NAME = /^(?:tenant|(?:plan|key):.+)$/

export class RunLimits {
  readonly #parts: Parts
  readonly #principal: Principal

  constructor(parts: Parts, principal: Principal) {
    this.#parts = parts
    this.#principal = principal
  }

  async list(): Promise<readonly RunLimit[]> {
    return this.#parts.services.store.listLimits(this.#principal.tenantId)
  }

  /** What runs share, with the runs of this tenant that hold it or wait for it. */
  async pools(): Promise<readonly SharedPool[]> {
    return sharedPools(this.#parts.services.store, this.#principal.tenantId, USERS_SHOWN)
  }

  /** Holds for starts from now on, and for what waits already. Runs that go on are not ended. */
  async set(options: LimitOptions): Promise<RunLimit> {
    needKnown('limits.set', options, LIMIT)
    needLimit(options)
    const { services } = this.#parts
    const { tenantId, actorId } = this.#principal
    const { whenFull = 'QUEUE', priority = 0, ...rest } = options
    const limit = { ...rest, tenantId, whenFull, priority, setBy: actorId, setAt: services.clock.now() }
    await services.store.putLimit(limit)
    await this.#changed(limit.name, limit)
    return limit
  }

  /** What waits for it starts. */
  async remove(name: string): Promise<void> {
    needText('limits.remove: the name', name)
    const { store } = this.#parts.services
    if (!(await store.removeLimit(this.#principal.tenantId, name)))
      fail('LIMIT_NOT_FOUND', `there is no limit '${name}'`)
    await this.#changed(name, undefined)
  }

  async #changed(name: string, limit: RunLimit | undefined): Promise<void> {
    const { store, limits } = this.#parts.services
    await limits?.changed(this.#principal.tenantId, name, limit)
    await store.sweepGrants()
  }
}

function needLimit(options: LimitOptions): void {
  const { name, maxRunning, ratePerMinute, maxConcurrentSteps, priority = 0 } = options
  needText('limits.set: the name', name)
  mustFitNames({ limit: name })
  if (!NAME.test(name)) fail('LIMIT_INVALID', `'${name}' is not tenant, plan:<planId> or key:<planId>`)
  const counts = { maxRunning, ratePerMinute, maxConcurrentSteps }
  const given = Object.entries(counts).filter(([, value]) => value !== undefined)
  if (given.length === 0) fail('LIMIT_INVALID', `'${name}' limits nothing: give maxRunning or ratePerMinute`)
  for (const [what, value = 0] of given)
    if (value < 1 || value > LIMITS.limitUnits)
      fail('LIMIT_INVALID', `${what} is a whole number from 1 to ${LIMITS.limitUnits}`)
  if (maxConcurrentSteps !== undefined && name !== 'tenant')
    fail('LIMIT_INVALID', 'maxConcurrentSteps is a limit of the tenant alone')
  if (maxConcurrentSteps !== undefined && maxConcurrentSteps > LIMITS.concurrencyMax)
    fail('LIMIT_INVALID', `maxConcurrentSteps is at most ${LIMITS.concurrencyMax}`)
  if (!Number.isFinite(priority)) fail('LIMIT_INVALID', 'priority is a number')
}
