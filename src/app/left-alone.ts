/**
 * Which runs this process leaves alone: those whose handlers it lacks, and those written under rules or with events it does
 * not know. Leaving one alone is no failure: nothing is written, its lease is given back, and other runs go on (DESIGN §9).
 */
import { KeelsonError } from '../core/problems/problem.ts'
import { RULES_VERSION } from '../core/run/state.ts'
import type { RunKey, RunRow, RunStore } from '../ports/run-store.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { PlanShelf } from './load-plan.ts'
import { missingHandlers } from './missing-handlers.ts'

export interface LeftAloneParts {
  readonly store: Pick<RunStore, 'releaseLease'>
  readonly plans: Pick<PlanShelf, 'get'>
  readonly handlers: Pick<StepHandlers, 'missing'>
  /** The name this process has in leases. */
  readonly owner: string
}

export class LeftAlone {
  readonly #parts: LeftAloneParts
  /** Runs whose log turned out to hold what this version does not know; a newer process must have them. */
  readonly #tooNew = new Set<RunKey>()

  constructor(parts: LeftAloneParts) {
    this.#parts = parts
  }

  /** May this process drive the run? Never throws: what cannot be read is for `advance` to set aside, one run alone. */
  async mayDrive(row: RunRow): Promise<boolean> {
    if (row.minRulesVersion > RULES_VERSION || this.#tooNew.has(row.runKey)) return false
    try {
      const { plan } = await this.#parts.plans.get(row.planSha256)
      return missingHandlers(plan, this.#parts.handlers).length === 0
    } catch {
      // Its plan is gone or was changed: adopting it is what sets it aside or fails it (PLN-06, C7).
      return true
    }
  }

  /** The engine let a run go. One that is too new is not tried again, and whoever knows it need not wait for our lease. */
  async lost(runKey: RunKey, thrown: unknown): Promise<void> {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'RULES_VERSION_UNKNOWN') return
    this.#tooNew.add(runKey)
    try {
      await this.#parts.store.releaseLease(runKey, this.#parts.owner)
    } catch {
      // A lease that could not be given back runs out by itself.
    }
  }
}
