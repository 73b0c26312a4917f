/**
 * The runs related to a run, by id and in both directions: its parent, its children, the run it undoes and the run that
 * undid it. All ids are derived or recorded; the store is only asked whether a run that would undo this one exists
 * (P-29).
 */
import { vectorGet } from '../../core/collections/vector.ts'
import { compensationSlot } from '../../core/events/slot.ts'
import type { Cause } from '../../core/run/explain/explain.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { isFanParent, slotOfUnit, stepUnit } from '../../core/run/state/units.ts'
import { isTerminalRun, type RunStatus } from '../../core/run/state/transitions.ts'
import type { RunParent, RunStore } from '../../ports/run-store.ts'
import { childRunId } from '../log/derived-uuid.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { compensationOf, compensatedChild, compensationRunIdOf } from '../loaded/compensation-run-id.ts'

export interface RelatedChild {
  readonly slot: string
  readonly runId: string
  /** The run that undoes what the child has finished. */
  readonly undo?: CompensationRun
}

export interface CompensationRun {
  readonly runId: string
  readonly result: 'undone' | 'failed' | 'open'
}

export interface RelatedRuns {
  readonly parent?: RunParent
  /** The run whose finished work this one undoes. */
  readonly compensationOf?: string
  /** The run that undoes what this one has finished. */
  readonly undo?: CompensationRun
  /** Child runs, newest attempt of each plan step; a long list is cut at 100. */
  readonly children: readonly RelatedChild[]
}

const CHILDREN_TOLD = 100

export async function relatedRuns(store: Pick<RunStore, 'findRun'>, run: LoadedRun): Promise<RelatedRuns> {
  const { row, identity, state } = run
  const undoes = compensationOf(row)
  const compensationId = row.parent === undefined || undoes !== undefined ? undefined : compensationRunIdOf(row.parent)
  const undo =
    compensationId === undefined ? undefined : await store.findRun({ tenantId: row.tenantId, runId: compensationId })
  return {
    ...(row.parent === undefined ? {} : { parent: row.parent }),
    ...(undoes === undefined ? {} : { compensationOf: undoes }),
    ...(undo === undefined ? {} : { undo: { runId: undo.runId, result: resultOf(undo.status) } }),
    children: [...childUnits(state)].slice(0, CHILDREN_TOLD).map((unit) => childOf(identity.runId, state, unit)),
  }
}

function resultOf(status: RunStatus): CompensationRun['result'] {
  if (!isTerminalRun(status)) return 'open'
  return status === 'COMPLETED' ? 'undone' : 'failed'
}

function* childUnits(state: RunState): Generator<Unit> {
  let found = 0
  for (let step = 0; step < state.graph.steps.length && found < CHILDREN_TOLD; step += 1) {
    if (state.graph.kinds[step] !== 'plan') continue
    for (const unit of unitsOf(state, step)) {
      if (unit.attempt === 0 || found >= CHILDREN_TOLD) continue
      found += 1
      yield unit
    }
  }
}

function* unitsOf(state: RunState, step: number): Generator<Unit> {
  const own = stepUnit(state, step)
  if (!isFanParent(state.graph, own)) yield own
  for (let item = 0; item < (own.fan?.count ?? 0); item += 1) {
    const unit = vectorGet(state.units, (own.fan?.base ?? 0) + item)
    if (unit !== undefined) yield unit
  }
}

function childOf(runId: string, state: RunState, unit: Unit): RelatedChild {
  const slot = slotOfUnit(state.graph, unit)
  const ids = compensatedChild(runId, state, compensationSlot(slot))
  const isCurrent = state.compensation?.current?.slot === slot
  // An emergency stop of the parent leaves the end of the other run unrecorded.
  const open = isCurrent && isTerminalRun(state.status) ? 'failed' : 'open'
  const own = childRunId(unit.ownerRunId || runId, slot, unit.ownerAttempt || unit.attempt)
  return {
    slot,
    runId: ids?.childRunId ?? own,
    ...(ids === undefined || (unit.undone === '' && !isCurrent)
      ? {}
      : { undo: { runId: ids.compensationRunId, result: unit.undone === '' ? open : unit.undone } }),
  }
}

/** Causes about a child run or about one that undoes it, with the ids of those runs. */
export function withRunIds(causes: readonly Cause[], runId: string, state: RunState, asked: string): readonly Cause[] {
  return causes.map((cause) => {
    if (cause.kind === 'waiting-for-child') return { ...cause, childRunId: childRunId(runId, asked, cause.attempt) }
    if (cause.kind !== 'undoing' && cause.kind !== 'undone' && cause.kind !== 'not-undone') return cause
    const slot = cause.kind === 'undoing' ? cause.slot : asked
    const ids = compensatedChild(runId, state, compensationSlot(slot))
    return ids === undefined ? cause : { ...cause, byRunId: ids.compensationRunId }
  })
}
