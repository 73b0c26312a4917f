/** What bounds a run, and what it waits for of what runs share. */
import type { ChildPlan } from '../../core/plan/compile/child-plans.ts'
import type { RunLock } from '../../core/run/state/state.ts'

export interface RunBounds {
  /** Absent for a run that is not locked. */
  readonly locked?: RunLock
  /** Hashes by name and version; plans that the plan itself names by hash are not among them. */
  readonly childPlans?: readonly ChildPlan[]
}

export interface GrantWait {
  readonly slot: string
  readonly pools: readonly string[]
}
