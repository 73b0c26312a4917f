/** A run as it was after a past event: the fold of its log up to there, from the newest checkpoint that ends before. */
import { fail } from '../../core/problems/problem.ts'
import { unwrap } from '../../core/result.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import { msFromIso } from '../../core/time.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import type { LoadedPlan, PlanShelf } from '../plans/load.ts'
import { CommittedValues } from '../values/committed.ts'
import { identityOf, readCheckpoint } from '../loaded/load-run.ts'
import type { ValuedRun } from '../loaded/run-outputs.ts'

export interface StateAt {
  readonly state: RunState
  /** The instant of that event. */
  readonly now: number
}

export async function stateAt(
  store: Pick<RunStore, 'getCheckpoint' | 'readEvents'>,
  { graph }: LoadedPlan,
  row: RunRow,
  atSeq: number,
): Promise<StateAt> {
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
  return { state, now }
}

/** For questions about what it had on record then. */
export async function runAt(store: RunStore, plans: PlanShelf, row: RunRow, atSeq: number): Promise<ValuedRun> {
  const plan = await plans.get(row.tenantId, row.planSha256)
  const { state } = await stateAt(store, plan, row, atSeq)
  return { row, identity: identityOf(row), plan, state, values: new CommittedValues() }
}
