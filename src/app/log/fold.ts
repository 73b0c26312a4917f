/** Folds a whole log in memory, and keeps the state after certain events; undefined where the log cannot be folded. */
import type { LogRecord } from '../../core/events/event.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { initialState } from '../../core/run/state/initial-state.ts'

export interface FoldedLog {
  readonly end: RunState
  /** The state after each requested event, by runSeq. */
  readonly at: ReadonlyMap<number, RunState>
}

export function foldLog(
  records: readonly LogRecord[],
  graph: PlanGraph,
  asked: ReadonlySet<number>,
): FoldedLog | undefined {
  let state = initialState(graph)
  const at = new Map<number, RunState>()
  try {
    for (const record of records) {
      state = evolve(state, foldEventOfRecord(record))
      if (asked.has(record.runSeq)) at.set(record.runSeq, state)
    }
  } catch (thrown) {
    // The check of the decisions reports where the log does not follow.
    if (thrown instanceof KeelsonError) return undefined
    throw thrown
  }
  return { end: state, at }
}
