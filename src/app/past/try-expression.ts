/**
 * One expression over what a run had on record after an event: the same evaluator, with the same bounds, as for the expressions of its
 * plan. Nothing is written. Secrets are no part of what expressions see, and what was erased is refused.
 */
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import { locate, stepUnit } from '../../core/run/state/units.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { evaluate, expressionNeeds, isTrue } from '../expressions/expressions.ts'
import { slotRoots } from '../loaded/slot-roots.ts'
import { runAt } from './state-at.ts'
import type { PlanShelf } from '../plans/load.ts'

export interface TriedExpression {
  /** The event after which it was evaluated. */
  readonly atSeq: number
  readonly value: unknown
  /** What it would be as a condition: a text or a list that is empty is not. */
  readonly isTrue: boolean
}

export interface TriedWhere {
  readonly atSeq: number
  /** As this step, item or fallback sees it, with `previous`, `item` and `index`; without: as the output of the run does. */
  readonly slot?: string
}

export async function tryExpression(
  store: RunStore,
  plans: PlanShelf,
  row: RunRow,
  expression: string,
  { atSeq, slot }: TriedWhere,
): Promise<TriedExpression> {
  const needs = unwrap(expressionNeeds(expression))
  const run = await runAt(store, plans, row, atSeq)
  const { state } = run
  const found = slot === undefined ? { ...stepUnit(state, 0), item: -1 } : locate(state, slot)?.unit
  const unit = found ?? fail('STEP_UNKNOWN', `the run has no '${slot}' after event ${atSeq}`)
  const attempt = slot === undefined ? {} : { attempt: Math.max(1, unit.attempt) }
  const roots = await slotRoots({ store, run, state, unit, seq: atSeq, outputsUpTo: atSeq, ...attempt }, needs)
  const value = unwrap(evaluate(expression, roots))
  return { atSeq, value, isTrue: isTrue(value) }
}
