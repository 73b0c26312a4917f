/**
 * What Temporal alone knows of a live run: that its history is about to be rotated, or that work was lost and is tried again
 * (TMP-17). It is a word beside the run's status, never the status, and nobody needs it (ENG-10).
 */
import type { TemporalConnection } from './connection.ts'
import { PHASE_QUERY, type Phase } from './wire.ts'

/** Only a worker can say whether a workflow is about to rotate: where none answers within this time, nothing is said. */
const PHASE_MS = 2_000

export async function substatusOf(
  connection: TemporalConnection,
  runId: string,
): Promise<'CONTINUE_AS_NEW' | 'RECOVERING' | undefined> {
  try {
    return await connection.ask('describe', runId, async (client) => {
      const handle = client.workflow.getHandle(runId)
      const { status, raw } = await handle.describe()
      // The run is live, or nobody would ask: the caretaker is about to give it another workflow.
      if (status.name !== 'RUNNING') return 'RECOVERING'
      if ((raw.pendingActivities ?? []).some(({ attempt }) => (attempt ?? 1) > 1)) return 'RECOVERING'
      const phase = await client
        .withDeadline(Date.now() + PHASE_MS, () => handle.query<Phase>(PHASE_QUERY))
        .catch(() => undefined)
      return phase === 'CONTINUE_AS_NEW' ? phase : undefined
    })
  } catch (error) {
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error
    return 'RECOVERING'
  }
}

export async function pingServer(connection: TemporalConnection): Promise<void> {
  await connection.ask('ping', '-', (client) =>
    (client.connection as { workflowService: SystemService }).workflowService.getSystemInfo({}),
  )
}

interface SystemService {
  getSystemInfo(request: object): Promise<unknown>
}
