/**
 * The owner of a plan step's child, and the id of the run that undoes the child. The id is derived from the owner of
 * the effect, so that one run only undoes a child, however often and by whichever fork it is requested (P-29).
 */
import { compensationSlot } from '../../core/events/slot.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { isChildUndone, locate } from '../../core/run/state/units.ts'
import type { RunParent, RunRow } from '../../ports/run-store.ts'
import { childRunId, derivedUuid } from '../log/derived-uuid.ts'

interface ChildOwner {
  readonly runId: string
  /** Undefined for a result taken over from a log that does not record it. */
  readonly attempt: number | undefined
}

function ownerOfChild(runId: string, unit: Unit): ChildOwner {
  if (unit.ownerRunId === '') return { runId, attempt: unit.attempt }
  return { runId: unit.ownerRunId, attempt: unit.ownerAttempt === 0 ? undefined : unit.ownerAttempt }
}

export interface CompensatedChild {
  /** The run whose work is to be undone. */
  readonly childRunId: string
  /** The run that undoes it. */
  readonly compensationRunId: string
}

/** For a slot such as `COMP:call[3]`; undefined when it has no child, or the log cannot name one. */
export function compensatedChild(runId: string, state: RunState, compSlot: string): CompensatedChild | undefined {
  const prefix = compensationSlot('')
  const slot = compSlot.startsWith(prefix) ? compSlot.slice(prefix.length) : undefined
  const unit = slot === undefined ? undefined : locate(state, slot)?.unit
  if (slot === undefined || unit === undefined || !isChildUndone(state.graph, unit)) return undefined
  const owner = ownerOfChild(runId, unit)
  if (owner.attempt === undefined) return undefined
  return {
    childRunId: childRunId(owner.runId, slot, owner.attempt),
    compensationRunId: compensationRunIdOf({ runId: owner.runId, slot, attempt: owner.attempt }),
  }
}

/** The run that would undo the child of this attempt. */
export function compensationRunIdOf({ runId, slot, attempt }: RunParent): string {
  return derivedUuid(`compensation|${runId}|${slot}|${attempt}`)
}

/** The run whose finished work this one undoes; undefined for every other run. */
export function compensationOf({
  parent,
  originalRunId,
}: Pick<RunRow, 'parent' | 'originalRunId'>): string | undefined {
  return parent?.slot.startsWith(compensationSlot('')) === true ? originalRunId : undefined
}
