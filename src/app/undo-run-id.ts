/**
 * Who a plan step's child belongs to, and the id of the run that undoes it. The id is derived from the owner of the effect,
 * so that a child is undone by one run only, however often and by whichever fork it is asked for (DESIGN §5, P-29).
 */
import { compensationSlot } from '../core/events/slot.ts'
import type { RunState, Unit } from '../core/run/state.ts'
import { isChildUndone, locate } from '../core/run/units.ts'
import type { RunParent, RunRow } from '../ports/run-store.ts'
import { childRunId, derivedRunId } from './child-end.ts'

interface ChildOwner {
  readonly runId: string
  /** Undefined for a result taken over from a log that does not tell. */
  readonly attempt: number | undefined
}

function ownerOfChild(runId: string, unit: Unit): ChildOwner {
  if (unit.ownerRunId === '') return { runId, attempt: unit.attempt }
  return { runId: unit.ownerRunId, attempt: unit.ownerAttempt === 0 ? undefined : unit.ownerAttempt }
}

export interface UndoneChild {
  /** The run whose work is to be undone. */
  readonly childRunId: string
  /** The run that undoes it. */
  readonly undoRunId: string
}

/** For a slot such as `COMP:call[3]`; undefined when no child is behind it, or none that the log could name. */
export function undoneChild(runId: string, state: RunState, compSlot: string): UndoneChild | undefined {
  const prefix = compensationSlot('')
  const slot = compSlot.startsWith(prefix) ? compSlot.slice(prefix.length) : undefined
  const unit = slot === undefined ? undefined : locate(state, slot)?.unit
  if (slot === undefined || unit === undefined || !isChildUndone(state.graph, unit)) return undefined
  const owner = ownerOfChild(runId, unit)
  if (owner.attempt === undefined) return undefined
  return {
    childRunId: childRunId(owner.runId, slot, owner.attempt),
    undoRunId: undoRunIdOf({ runId: owner.runId, slot, attempt: owner.attempt }),
  }
}

/** The run that would undo the child of this attempt. */
export function undoRunIdOf({ runId, slot, attempt }: RunParent): string {
  return derivedRunId(`compensation|${runId}|${slot}|${attempt}`)
}

/** The run whose finished work this one undoes; undefined for every other run. */
export function compensationOf({
  parent,
  originalRunId,
}: Pick<RunRow, 'parent' | 'originalRunId'>): string | undefined {
  return parent?.slot.startsWith(compensationSlot('')) === true ? originalRunId : undefined
}
