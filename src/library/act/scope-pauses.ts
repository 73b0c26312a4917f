/** Pauses of a whole plan or tenant: every run of it pauses, those that start meanwhile too, and its end resumes just these (P-23). */
import { pauseScope, resumeScope, type PauseScope } from '../../app/inbox/scope-pauses.ts'
import type { Principal } from '../../app/principal.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { needText, TEXT } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ScopePause } from '../../ports/run-store.ts'
import type { Parts } from '../parts.ts'

export interface PauseOptions {
  /** Shown with every run that it pauses. */
  readonly reason?: string
}

const PAUSE: OptionNames<PauseOptions> = { reason: TEXT }

export class ScopePauses {
  readonly #parts: Parts
  readonly #tenantId: string

  constructor(parts: Parts, { tenantId }: Principal) {
    this.#parts = parts
    this.#tenantId = tenantId
  }

  /** Those that hold now; also one of the whole fleet. */
  async list(): Promise<readonly ScopePause[]> {
    return (await this.#all()).filter(({ active }) => active)
  }

  /** `tenant`, or `plan:<planId>`. */
  async set(scope: string, options: PauseOptions = {}): Promise<ScopePause> {
    needKnown('pauses.set', options, PAUSE)
    return pauseScope(this.#telling, { tenantId: this.#tenantId, scope: needScope(scope), ...options })
  }

  /** Runs that it paused go on; those that a person paused stay paused. */
  async lift(scope: string): Promise<void> {
    const known = (await this.#all()).filter((pause) => pause.scope === needScope(scope))
    // The newest that was lifted already: whoever was cut off in the middle has told only some of its runs.
    const meant = known.find(({ active }) => active) ?? known.at(-1)
    if (meant === undefined) return fail('PAUSE_NOT_FOUND', `nothing pauses '${scope}'`)
    return resumeScope(this.#telling, this.#tenantId, meant)
  }

  get #telling(): Parameters<typeof pauseScope>[0] {
    const { services, engine } = this.#parts
    return { store: services.store, random: services.random, wake: (runKey) => engine.wake(runKey) }
  }

  async #all(): Promise<readonly ScopePause[]> {
    return this.#parts.services.store.readScopePauses(this.#tenantId)
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
