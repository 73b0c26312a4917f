/**
 * What Temporal alone knows of a live run: that its history is about to be rotated, or that work was lost and is tried again
 * (TMP-17). It is shown beside the run's status, never as the status, and nothing depends on it (ENG-10).
 */
import { fail } from '../../../../core/problems/problem.ts'
import type { TemporalConnection } from './connection.ts'
import { PHASE_QUERY, type Phase } from '../sandbox/wire.ts'

/** Only a worker can say whether a workflow is about to rotate: where none answers within this time, nothing is said. */
const PHASE_MS = 2_000

export async function substatusOf(
  connection: TemporalConnection,
  workflowId: string,
): Promise<'CONTINUE_AS_NEW' | 'RECOVERING' | undefined> {
  try {
    return await connection.ask('describe', workflowId, async (client) => {
      const handle = client.workflow.getHandle(workflowId)
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

/** As gRPC says it. */
const NOT_FOUND = 5
const PERMISSION_DENIED = 7

/**
 * Refuses a namespace that the server does not have. If the caller has no right to look it up, the namespace is assumed to exist.
 */
export async function checkNamespace(
  connection: TemporalConnection,
  { address, namespace }: { readonly address: string; readonly namespace: string },
): Promise<void> {
  await connection.ask('describe namespace', '-', async (client) => {
    const { workflowService } = client.connection as { workflowService: SystemService }
    await workflowService.describeNamespace({ namespace }).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === NOT_FOUND)
        fail('TEMPORAL_CLIENT_NOT_CONFIGURED', `the Temporal server at ${address} has no namespace '${namespace}'`)
      if (code !== PERMISSION_DENIED) throw error
    })
  })
}

/** A worker asks again at least once a minute; Temporal lists it for some minutes after it is gone. */
const LISTENS_MS = 70_000
const WORKFLOW_TASKS = 1

/** Whether a worker asked the queue for work lately. */
export async function hasListeners(
  connection: TemporalConnection,
  { namespace, queue }: { readonly namespace: string; readonly queue: string },
  now: number,
): Promise<boolean> {
  const request = { namespace, taskQueue: { name: queue }, taskQueueType: WORKFLOW_TASKS }
  const { pollers } = await connection.ask('describe queue', '-', (client) =>
    (client.connection as { workflowService: SystemService }).workflowService.describeTaskQueue(request),
  )
  return (pollers ?? []).some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > now - LISTENS_MS)
}

interface SystemService {
  getSystemInfo(request: object): Promise<unknown>
  describeNamespace(request: { readonly namespace: string }): Promise<unknown>
  describeTaskQueue(request: object): Promise<{ readonly pollers?: readonly Poller[] | null }>
}
interface Poller {
  readonly lastAccessTime?: { readonly seconds?: unknown } | null
}
