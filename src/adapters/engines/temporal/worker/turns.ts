/**
 * Outcomes of one run that come in close together, or while it is being advanced, go into one turn (P-06): a fan-out costs a
 * few commits, not one for every step. An outcome with nothing else of its run out does not wait. What the turn opened is
 * told to one of those who reported; the others hear how far the log has come.
 */
import type { TurnResult, EffectOutcome, RunDriver } from '../../../../ports/engine.ts'
import type { RunKey } from '../../../../ports/run-store.ts'
import type { Timers } from '../../../../ports/timers.ts'

/**
 * While other steps of the run are at work, an outcome waits this long for other outcomes; one call through the platform takes
 * longer.
 */
const GATHER_MS = 15
/** An outcome that came during a turn waits for more. */
const GATHER_MORE = Number.MAX_SAFE_INTEGER

interface Waiting {
  readonly reports: readonly EffectOutcome[]
  readonly epoch: number
  /** Callers that must be told everything that is owed, not only what is new. */
  readonly open: boolean
  readonly resolve: (report: TurnResult) => void
  readonly reject: (error: unknown) => void
}

export class Turns {
  readonly #driver: RunDriver
  readonly #timers: Timers
  readonly #gathering = new Map<RunKey, () => void>()
  readonly #waiting = new Map<RunKey, Waiting[]>()
  readonly #turning = new Set<RunKey>()

  constructor(driver: RunDriver, timers: Timers) {
    this.#driver = driver
    this.#timers = timers
  }

  take(
    runKey: RunKey,
    reports: readonly EffectOutcome[],
    { epoch, open, beside = 1 }: { readonly epoch: number; readonly open: boolean; readonly beside?: number },
  ): Promise<TurnResult> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(runKey) ?? []
      waiting.push({ reports, epoch, open, resolve, reject })
      this.#waiting.set(runKey, waiting)
      if (!this.#turning.has(runKey)) this.#turnOrGather(runKey, beside)
    })
  }

  #turnOrGather(runKey: RunKey, beside: number): void {
    if (beside <= (this.#waiting.get(runKey)?.length ?? 0)) this.#turnNow(runKey)
    else if (!this.#gathering.has(runKey)) {
      const cancel = this.#timers.after(GATHER_MS, () => this.#turnNow(runKey))
      this.#gathering.set(runKey, cancel)
    }
  }

  #turnNow(runKey: RunKey): void {
    this.#gathering.get(runKey)?.()
    this.#gathering.delete(runKey)
    if (!this.#turning.has(runKey)) void this.#turn(runKey)
  }

  async #turn(runKey: RunKey): Promise<void> {
    const all = this.#next(runKey)
    if (all.length === 0) return
    this.#turning.add(runKey)
    const [first] = all
    const told = all.find(({ open }) => open) ?? first
    try {
      const reports = all.flatMap((one) => one.reports)
      const options = { epoch: first?.epoch ?? 1, open: told?.open ?? false }
      const report = await this.#driver.advance(runKey, reports, options)
      for (const one of all) one.resolve(one === told ? report : { ...report, effects: [] })
    } catch (error) {
      for (const one of all) one.reject(error)
    }
    this.#turning.delete(runKey)
    if (this.#waiting.has(runKey)) this.#turnOrGather(runKey, GATHER_MORE)
  }

  /** All that wait under the epoch of the first. */
  #next(runKey: RunKey): readonly Waiting[] {
    const waiting = this.#waiting.get(runKey) ?? []
    const epoch = waiting[0]?.epoch
    const rest = waiting.filter((one) => one.epoch !== epoch)
    if (rest.length === 0) this.#waiting.delete(runKey)
    else this.#waiting.set(runKey, rest)
    return waiting.filter((one) => one.epoch === epoch)
  }
}
