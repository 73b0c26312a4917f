/** The id of a run's workflow is what its row says, whenever that was written; a new run's carries its tenant. */
import { newWorkflowId, runIdsOf } from '../../../../core/engine/workflow-id.ts'
import { parseEngineRunRef } from '../../../../core/engine/run-ref-text.ts'
import type { RunRow, RunStore } from '../../../../ports/run-store.ts'

export function workflowIdOf(row: Pick<RunRow, 'tenantId' | 'runId' | 'engineRunRef'>): string {
  const ref = parseEngineRunRef(row.engineRunRef)
  return ref?.engineType === 'temporal' ? ref.workflowId : newWorkflowId(row)
}

/** The tenant's run that has this workflow. */
export async function runOfWorkflow(
  store: Pick<RunStore, 'findRun'>,
  tenantId: string,
  workflowId: string,
): Promise<RunRow | undefined> {
  for (const runId of runIdsOf(workflowId, tenantId)) {
    const row = await store.findRun({ tenantId, runId })
    if (row !== undefined && workflowIdOf(row) === workflowId) return row
  }
  return undefined
}
