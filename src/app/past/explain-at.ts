/**
 * `why` about the past: the fold after a past event, and what held a slot then. "Now" is the instant of that event;
 * facts outside the log, such as queues of pools, are unknown for the past and left out.
 */
import { explain, type Cause } from '../../core/run/explain/explain.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { PlanShelf } from '../plans/load.ts'
import { stateAt } from './state-at.ts'
import { withRunIds } from '../views/related-runs.ts'

export async function explainAt(
  store: RunStore,
  plans: PlanShelf,
  row: RunRow,
  slot: string,
  atSeq: number,
): Promise<readonly Cause[]> {
  const plan = await plans.get(row.tenantId, row.planSha256)
  const { state, now } = await stateAt(store, plan, row, atSeq)
  return withRunIds(explain(plan.graph, state, slot, now), row.runId, state, slot)
}
