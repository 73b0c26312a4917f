/** What became of undoing, as the end of the run tells it (CMP-06). */
import type { Payload } from '../../events/event.ts'
import type { RunState } from '../state/state.ts'
import { nextCompensation } from './next-compensation.ts'

export function compensationSummary(state: RunState, cutCompensations: number): Payload<'RunFailed'>['compensation'] {
  const { compensation } = state
  const { current } = compensation ?? {}
  const cut = cutCompensations > 0 && current !== undefined
  if (compensation === undefined && state.completions === undefined && state.notCompensable === 0) return undefined
  return {
    done: compensation?.done ?? 0,
    failed: compensation?.failed ?? 0,
    notCompensable: state.notCompensable,
    unfinished: cutCompensations > 0 ? compensationsLeft(state) + (compensation?.current === undefined ? 0 : 1) : 0,
    slots: compensation?.slots ?? [],
    ...(state.rulesVersion < 2
      ? {}
      : {
          actions: [
            ...(compensation?.actions ?? []).slice(0, ACTIONS_MAX - 1),
            ...(cut ? [{ slot: current.slot, result: 'unfinished' as const, attempts: current.attempt }] : []),
          ],
        }),
  }
}

const ACTIONS_MAX = 200

function compensationsLeft(state: RunState): number {
  let left = 0
  for (let at = nextCompensation(state); at !== undefined; at = at.next) left += 1
  return left
}

/** Compensations have retries of their own; nothing retries them after that. */
export function compensationFailure(state: RunState): Payload<'RunFailed'>['error'] {
  if (state.cancelling !== undefined) return { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' }
  return { code: 'COMPENSATION_INCOMPLETE', retryable: false, errorClass: 'permanent' }
}
