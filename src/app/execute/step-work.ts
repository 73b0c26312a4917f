/** What an effect asks to be done, as long as the log still wants it: the step, its action and the time it may take. */
import { compensationSlot } from '../../core/events/slot.ts'
import type { Action, Compensation, Fallback, Step } from '../../core/plan/plan.ts'
import type { Effect } from '../../core/run/effect.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { LoadedRun } from '../loaded/load-run.ts'

export type Executable = Extract<Effect, { kind: 'ExecuteStep' | 'Compensate' }>

export interface Work {
  readonly step: Step
  readonly unit: Unit
  readonly action: Action | Compensation | Fallback
  readonly timeoutMs: number
  readonly idempotencyKey?: string
  /** The run whose work is undone. The compensation gets the id of this run, because the work was done under it. */
  readonly ownerRunId?: string
}

/** The attempt must still be open: an effect may arrive twice, or after its outcome. */
export function workOf(run: LoadedRun, effect: Executable): Work | undefined {
  return effect.kind === 'Compensate' ? compensationWork(run, effect) : stepWork(run, effect)
}

function stepWork(run: LoadedRun, effect: Executable): Work | undefined {
  const found = locate(run.state, effect.slot)
  if (found === undefined || found.unit.status !== 'RUNNING' || found.unit.attempt !== effect.attempt) return undefined
  const step = stepAt(run.state.graph, found.unit.step)
  const action = found.unit.fallback && step.fallback !== undefined ? step.fallback : step
  return { step, unit: found.unit, action, timeoutMs: step.timeoutMs }
}

function compensationWork(run: LoadedRun, effect: Executable): Work | undefined {
  const current = run.state.compensation?.current
  if (
    current?.status !== 'RUNNING' ||
    compensationSlot(current.slot) !== effect.slot ||
    current.attempt !== effect.attempt
  )
    return undefined
  const found = locate(run.state, current.slot)
  const step = found === undefined ? undefined : stepAt(run.state.graph, found.unit.step)
  if (found === undefined || step?.compensate === undefined) return undefined
  // The key of the compensation is derived from the owner of the effect, so that the effect is undone once.
  const owner = found.unit.ownerRunId === '' ? run.identity.runId : found.unit.ownerRunId
  return {
    step,
    unit: found.unit,
    action: step.compensate,
    timeoutMs: step.compensate.timeoutMs,
    idempotencyKey: `${owner}:${current.slot}:compensate`,
    ownerRunId: owner,
  }
}

/** Where the function is to be found; undefined for what this process does itself. */
export interface FarFunction {
  readonly queue: string
  readonly handler: string
}

export function farFunction({ step, action }: Work): FarFunction | undefined {
  const queue = step.dispatch?.queue
  return queue === undefined || !('run' in action) ? undefined : { queue, handler: action.run }
}
