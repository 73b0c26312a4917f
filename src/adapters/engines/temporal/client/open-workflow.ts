/** Sees to it that a run has an open workflow that has heard of it: a new one, or the one that is already open. */
import type { RunRow } from '../../../../ports/run-store.ts'
import type { Workflows } from './workflow-client.ts'
import { workflowIdOf } from './workflow-id.ts'

/**
 * A run that comes back to this engine may find its earlier workflow about to end: open when a new one is asked for, closed
 * when it is woken. Then neither call has done anything, and the run would have no workflow, so both are tried again.
 */
export async function openWorkflow(workflows: Pick<Workflows, 'start' | 'wake'>, row: RunRow): Promise<void> {
  for (;;) {
    if (await workflows.start(row)) return
    if (await workflows.wake(workflowIdOf(row))) return
  }
}
