/**
 * Does a run still move by itself? Not when everything open waits for a person, when it is paused with nothing in
 * flight, or when it is held. A run that waits for a time still moves, and so does one that compensates: nothing stops
 * that.
 */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import type { RunWatch } from '../progress/run-watch.ts'

export function standsStill(watch: RunWatch): boolean {
  const snapshot = snapshotOf(watch.view)
  if (isTerminalRun(snapshot.status) || snapshot.status === 'PENDING' || snapshot.status === 'APPROVED') return false
  // Items have no row here, and a compensation may wait for its next try.
  if (watch.view.run.compensating) return false
  const slots = snapshot.steps.flatMap((step) => (step.fallback === undefined ? [step] : [step, step.fallback]))
  const running = slots.filter((step) => step.status === 'RUNNING' || step.compensation?.status === 'RUNNING')
  if (running.length === 0 && watch.view.tally.inFlight > 0) return false
  const paused = snapshot.status === 'PAUSED'
  return running.every((step) => {
    const onlyWaits = step.retryAt !== undefined || watch.waits.has(step.stepId)
    return step.waitingForManualCompletion === true || (paused && onlyWaits)
  })
}
