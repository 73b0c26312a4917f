/**
 * Which runs this process leaves alone: those whose handlers it lacks, and those written under rules or with events it
 * does not know. Leaving a run alone is no failure: nothing is written, its lease is returned, and other runs go on.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import { RULES_VERSION } from '../../core/run/state/state.ts'
import type { RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'
import { isFatal } from '../../core/engine/last-words.ts'
import { noting, type LastWords } from '../deaths/last-words.ts'
import type { LoadedPlan, PlanShelf } from '../plans/load.ts'
import { missingHandlers } from '../plans/missing-handlers.ts'

export interface LeftAloneParts {
  readonly store: Pick<RunStore, 'releaseLease'>
  readonly plans: Pick<PlanShelf, 'get' | 'known'>
  readonly handlers: Pick<StepHandlers, 'missing'>
  /** The name of this process in leases. */
  readonly owner: string
  readonly lastWords?: LastWords
}

/** Takes the run if it is free; the caller may return it. */
type Hold = () => Promise<RunRow | undefined>

export class LeftAlone {
  readonly #parts: LeftAloneParts
  /** Runs whose log holds events this version does not know; a newer process must drive them. */
  readonly #tooNew = new Set<RunKey>()

  constructor(parts: LeftAloneParts) {
    this.#parts = parts
  }

  /** May this process drive the run? Never throws: if something cannot be read, `advance` sets this one run aside. */
  async mayDrive(row: RunRow, hold: Hold): Promise<boolean> {
    if (row.minRulesVersion > RULES_VERSION || this.#tooNew.has(row.runKey)) return false
    const { plans } = this.#parts
    const known = plans.known(row.tenantId, row.planSha256)
    return known === undefined ? this.#mayDriveUnread(row, hold) : this.#isEquipped(() => Promise.resolve(known))
  }

  /** Reading its plan may kill the process: only the holder of the run reads it, and writes a note first. */
  async #mayDriveUnread(row: RunRow, hold: Hold): Promise<boolean> {
    const { plans, store, owner } = this.#parts
    const held = await hold()
    if (held === undefined) return false
    // Adoption sets the run aside.
    if (isFatal(held)) return true
    const read = (): Promise<LoadedPlan> => plans.get(row.tenantId, row.planSha256)
    const isEquipped = await this.#isEquipped(() => noting(this.#parts, held, 'reading its plan', read))
    if (!isEquipped) await store.releaseLease(row.runKey, owner)
    return isEquipped
  }

  async #isEquipped(read: () => Promise<LoadedPlan>): Promise<boolean> {
    try {
      const { plan } = await read()
      return missingHandlers(plan, this.#parts.handlers).length === 0
    } catch {
      // Its plan is gone or was changed: adoption sets the run aside or fails it (PLN-06).
      return true
    }
  }

  /**
   * The engine released a run. A run that is too new is not tried again, and a newer process need not wait for our
   * lease.
   */
  async lost(runKey: RunKey, thrown: unknown): Promise<void> {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'RULES_VERSION_UNKNOWN') return
    this.#tooNew.add(runKey)
    try {
      await this.#parts.store.releaseLease(runKey, this.#parts.owner)
    } catch {
      // A lease that could not be returned expires by itself.
    }
  }
}
