/** Whether a failed run is kept open for somebody's decision. */
import type { RunState } from '../state/state.ts'

/** A failed step keeps the run open: by policy, or because its effect may have happened (P-28). */
export function isHeld(state: RunState): boolean {
  if (state.failed === 0 || state.timedOutAt >= 0) return false
  return state.graph.plan.policy.onFailure === 'hold' || state.indeterminate > 0
}
