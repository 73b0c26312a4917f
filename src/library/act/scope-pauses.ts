/** Pauses of a whole plan or tenant: every run of it pauses, those that start meanwhile too, and its end resumes just these (P-23). */
import { pauseScope, resumeScope, type PauseScope } from '../../app/inbox/scope-pauses.ts'
import type { Principal } from '../../app/principal.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { needText, TEXT } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ScopePause } from '../../ports/scope-pauses.ts'
import type { Parts } from '../parts.ts'

export interface PauseOptions {
  /** Shown with every run that it pauses. */
  readonly reason?: string
}

const PAUSE: OptionNames<PauseOptions> = { reason: TEXT }

export class ScopePauses {
  readonly #parts: Parts
  readonly #principal: Principal

  constructor(parts: Parts, principal: Principal) {
    this.#parts = parts
    this.#principal = principal
  }

  /** Those that hold now; also one of the whole fleet. */
  async list(): Promise<readonly ScopePause[]> {
    return this.#parts.services.store.readScopePauses(this.#principal.tenantId)
  }

  /** `tenant`, or `plan:<planId>`. */
  async set(scope: string, options: PauseOptions = {}): Promise<ScopePause> {
    needKnown('pauses.set', options, PAUSE)
    const { tenantId, actorId: setBy } = this.#principal
    return pauseScope(this.#telling, { tenantId, scope: needScope(scope), setBy, ...options })
  }

  /** Runs that it paused go on; those that a person paused stay paused. */
  async lift(scope: string): Promise<void> {
    const { tenantId } = this.#principal
    // It may be over already: whoever was cut off in the middle has told only some of its runs.
    const meant = await this.#parts.services.store.lastScopePause(tenantId, needScope(scope))
    if (meant === undefined) return fail('PAUSE_NOT_FOUND', `nothing pauses '${scope}'`)
    return resumeScope(this.#telling, tenantId, meant)
  }

  get #telling(): Parameters<typeof pauseScope>[0] {
    const { services, engine } = this.#parts
    const { store, random, clock } = services
    return { store, random, clock, wake: (runKey) => engine.wake(runKey) }
  }
}

/** A pause of the fleet spans tenants; none of them can make one. */
function needScope(scope: string): PauseScope {
  needText('pauses: the scope', scope)
  if (scope === 'tenant' || isPlan(scope)) return scope
  return fail('PAUSE_INVALID', `'${scope}' is not tenant or plan:<planId>`)
}

function isPlan(scope: string): scope is `plan:${string}` {
  return /^plan:./.test(scope)
}
