/**
 * `why` in the past: the fold as it stood after an event, and what held a slot then. "Now" is the instant of that event;
 * what the log does not hold, such as queues of pools, is not known of the past and left out.
 */
import { fail, KeelsonError, problem } from '../core/problems/problem.ts'
import { evolve } from '../core/run/evolve.ts'
import { explain, type Cause } from '../core/run/explain.ts'
import { foldEventOfRecord } from '../core/run/fold-event.ts'
import { initialState } from '../core/run/state.ts'
import { msFromIso } from '../core/time.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import type { PlanShelf } from './load-plan.ts'
import { readSnapshot } from './load-run.ts'
import { recordOf } from './read-events.ts'
import { withRunIds } from './related-runs.ts'

export async function explainAt(
  store: RunStore,
  plans: PlanShelf,
  row: RunRow,
  slot: string,
  atSeq: number,
): Promise<readonly Cause[]> {
  const { graph } = await plans.get(row.planSha256)
  // Of the last event its instant is needed too, so a snapshot must end before it.
  const snapshot = await store.getSnapshot(row.runKey, 'state', atSeq - 1)
  let state = (snapshot === undefined ? undefined : readSnapshot(graph, snapshot)) ?? initialState(graph)
  let now = 0
  while (state.seq < atSeq) {
    const page = await store.readEvents(row.runKey, { afterSeq: state.seq, limit: Math.min(1000, atSeq - state.seq) })
    if (page.length === 0) fail('USAGE', `run ${row.runId} has ${state.seq} events; there is no event ${atSeq}`)
    for (const stored of page) {
      const read = recordOf(stored)
      if (!read.ok)
        throw new KeelsonError([
          read.problems[0] ?? problem('RUN_QUARANTINED', `event ${stored.runSeq} cannot be read`),
        ])
      state = evolve(state, foldEventOfRecord(read.value))
      now = msFromIso(read.value.emittedAt) ?? now
    }
  }
  return withRunIds(explain(graph, state, slot, now), row.runId, state, slot)
}
