/**
 * What became of the steps a person released: those that wait for the manual step and for nothing before it. It is read from
 * the log alone, so asking again dispatches nothing and records nothing (MAN-13).
 */
import { locate, stepUnit } from '../../core/run/state/units.ts'
import type { StepResult } from '../../ports/run-context.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { readRunContext } from '../views/read-run-context.ts'

export interface ApprovedActions {
  /**
   * `Approved`: recorded, and no step has started. `Executing`: some steps have started, and not all have ended. `Executed`: all
   * have ended.
   */
  readonly state: 'Approved' | 'Executing' | 'Executed'
  /** Of those that have ended. */
  readonly results: readonly StepResult[]
}

/** Undefined when the run has no such slot. */
export async function approvedActions(
  store: RunStore,
  run: LoadedRun,
  slot: string,
): Promise<ApprovedActions | undefined> {
  const { state } = run
  const found = locate(state, slot)
  if (found === undefined) return undefined
  const { graph } = state
  const released = (graph.dependents[found.unit.step] ?? []).map((step) => stepUnit(state, step))
  const ids = released.map(({ step }) => graph.stepIds[step] ?? '')
  const { steps } = await readRunContext(store, run, state, state.seq)
  const results = ids.flatMap((id) => steps.get(id) ?? [])
  if (results.length === ids.length && found.unit.status === 'SUCCESS') return { state: 'Executed', results }
  const hasStarted = results.length > 0 || released.some(({ attempt }) => attempt > 0)
  return { state: hasStarted ? 'Executing' : 'Approved', results }
}
