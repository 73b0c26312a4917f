/**
 * Begin-claims of irreversible attempts (P-28): recorded before the step acts, and only one claimant ever acts. A process claims
 * under its own name and remembers what it has begun. So it recognises a claim of its own whose answer was lost, and does not
 * take a repeat of an effect that is under way for one.
 */
import type { Effect } from '../../core/run/effect.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'

/** `repeat`: this process has begun it and reports it. `taken`: another driver may have acted. */
export type ClaimAnswer = 'mine' | 'repeat' | 'taken'

type ExecuteStep = Extract<Effect, { kind: 'ExecuteStep' }>

export class BeginClaims {
  readonly #services: Services
  readonly #begun = new Map<RunKey, Set<string>>()
  #name: string | undefined

  constructor(services: Services) {
    this.#services = services
  }

  async take(run: LoadedRun, effect: ExecuteStep): Promise<ClaimAnswer> {
    const { store, random } = this.#services
    const { runKey } = run.row
    const { slot, attempt } = effect
    this.#name ??= random.uuid()
    const claimant = `${run.epoch}:${effect.engineAttempt}:${this.#name}`
    const isFirst = await store.claimAttempt(runKey, { slot, attempt, claimant })
    const holder = isFirst
      ? claimant
      : (await store.readClaims(runKey)).find((one) => one.slot === slot && one.attempt === attempt)?.claimant
    if (holder !== claimant) return 'taken'
    const begun = this.#begun.get(runKey) ?? new Set()
    if (begun.has(effect.id)) return 'repeat'
    this.#begun.set(runKey, begun.add(effect.id))
    return 'mine'
  }

  /** It was claimed but not begun: the next try may begin it. */
  giveBack(run: LoadedRun, effect: ExecuteStep): void {
    this.#begun.get(run.row.runKey)?.delete(effect.id)
  }

  /** Nobody will ask for an attempt of this run again under its old epoch. */
  forget(runKey: RunKey): void {
    this.#begun.delete(runKey)
  }
}
