/**
 * `why` about the past: the fold after a past event, and what held a slot then. "Now" is the instant of that event;
 * facts outside the log, such as queues of pools, are unknown for the past and left out.
 */
import { unwrap } from '../../core/result.ts'
import { fail } from '../../core/problems/problem.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { explain, type Cause } from '../../core/run/explain/explain.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import { msFromIso } from '../../core/time.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { PlanShelf } from '../plans/load.ts'
import { readCheckpoint } from '../loaded/load-run.ts'
import { recordOf } from '../log/read-events.ts'
import { withRunIds } from './related-runs.ts'

export async function explainAt(
  store: RunStore,
  plans: PlanShelf,
  row: RunRow,
  slot: string,
  atSeq: number,
): Promise<readonly Cause[]> {
  const { graph } = await plans.get(row.tenantId, row.planSha256)
  // The instant of the last event is needed too, so a checkpoint must end before it.
  const snapshot = await store.getCheckpoint(row.runKey, 'state', atSeq - 1)
  let state = (snapshot === undefined ? undefined : readCheckpoint(graph, snapshot)) ?? initialState(graph)
  let now = 0
  while (state.seq < atSeq) {
    const page = await store.readEvents(row.runKey, { afterSeq: state.seq, limit: Math.min(1000, atSeq - state.seq) })
    if (page.length === 0) fail('USAGE', `run ${row.runId} has ${state.seq} events; there is no event ${atSeq}`)
    for (const stored of page) {
      const record = unwrap(recordOf(stored))
      state = evolve(state, foldEventOfRecord(record))
      now = msFromIso(record.emittedAt) ?? now
    }
  }
  return withRunIds(explain(graph, state, slot, now), row.runId, state, slot)
}
