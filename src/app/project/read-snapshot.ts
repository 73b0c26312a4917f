/**
 * A run as one snapshot: from the newest stored view and what follows it, or projected again from the whole log
 * (STO-10). For a quiet run both are equal; an unknown run has none.
 */
import { isForeign } from '../../core/engine/engine-type.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { ok, type Result } from '../../core/result.ts'
import { runMetaOf, type RunMeta } from '../../core/view/fold/run-meta.ts'
import type { RunSnapshot } from '../../core/view/fold/run-snapshot.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import type { RunRef, RunRow, RunStore } from '../../ports/run-store.ts'
import type { PlanShelf } from '../plans/load.ts'
import { projectAnew, readRunView } from './read-view.ts'

/** `atSeq`: the run as it was after that event. */
export async function readSnapshot(
  store: RunStore,
  plans: PlanShelf,
  run: RunRef,
  atSeq?: number,
): Promise<Result<RunSnapshot | null>> {
  const row = await store.findRun(run)
  if (row === undefined) return ok(null)
  const view = await readRunView(store, row.runKey, await metaOf(plans, row), atSeq)
  return view.ok ? ok(snapshotOf(view.value)) : view
}

export async function projectSnapshot(
  store: RunStore,
  plans: PlanShelf,
  run: RunRef,
): Promise<Result<RunSnapshot | null>> {
  const row = await store.findRun(run)
  if (row === undefined) return ok(null)
  const view = await projectAnew(store, row.runKey, await metaOf(plans, row))
  return view.ok ? ok(snapshotOf(view.value)) : view
}

export async function metaOf(plans: PlanShelf, row: RunRow): Promise<RunMeta> {
  if (isForeign(row)) return importedMeta(plans, row)
  const { graph } = await plans.get(row.tenantId, row.planSha256)
  return runMetaOf(row.runId, graph, row.engineType)
}

/** Steps and edges where the plan is stored here too; else steps appear when events name them. */
async function importedMeta(plans: PlanShelf, { tenantId, runId, planSha256 }: RunRow): Promise<RunMeta> {
  try {
    return runMetaOf(runId, (await plans.get(tenantId, planSha256)).graph)
  } catch (thrown) {
    if (thrown instanceof KeelsonError && thrown.code === 'PLAN_NOT_FOUND') return { runId, stepIds: [] }
    throw thrown
  }
}
