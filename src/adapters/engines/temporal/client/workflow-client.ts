/**
 * Runs as workflows: starting one, waking it, cancelling it, and looking whether it is there. The workflow's id is made of the
 * run's and its tenant; its status is never read as the run's (TMP-11, TMP-12).
 */
import type { WorkflowStartOptions } from '@temporalio/client'
import { parseEngineRunRef } from '../../../../core/engine/run-ref-text.ts'
import type { RunRow } from '../../../../ports/run-store.ts'
import type { TemporalConnection } from './connection.ts'
import type { CheckedSettings } from './settings.ts'
import { checkNamespace } from './sight.ts'
import { runQueue } from './task-queues.ts'
import { EPOCH_MEMO, RUN_WORKFLOW, STEP_WORKFLOW, WAKE_SIGNAL, type Carried } from '../sandbox/wire.ts'
import { workflowIdOf } from './workflow-id.ts'

const ATTRIBUTES = ['tenantId', 'projectId', 'environmentId', 'regulatoryTier'] as const
const KEYWORD = 2
/** gRPC: permission denied, unimplemented. */
const NOT_ALLOWED: ReadonlySet<number> = new Set([7, 12])
const CLOSED_AT_ONCE = 1_000

export interface ClosedWorkflow {
  readonly workflowId: string
  /** A long step's, not a run's. */
  readonly isStep: boolean
  /** That a long step was sent out under. */
  readonly epoch?: number
}

export class Workflows {
  readonly #connection: TemporalConnection
  readonly #settings: CheckedSettings
  #registered: Promise<ReadonlySet<string>> | undefined

  constructor(connection: TemporalConnection, settings: CheckedSettings) {
    this.#connection = connection
    this.#settings = settings
  }

  /** Connects, and makes the search attributes known to the namespace where that is allowed. */
  async connect(): Promise<void> {
    await this.#connection.client()
    this.#registered ??= this.#register().catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
    await this.#registered
  }

  /** False when a workflow of that id runs already. */
  async start(row: RunRow): Promise<boolean> {
    try {
      return await this.#start(row)
    } catch (error) {
      // A server that was set up again has lost the search attributes: they are registered again.
      this.#registered = undefined
      if (!isUnknownAttribute(error)) throw error
      return this.#start(row)
    }
  }

  async #start(row: RunRow): Promise<boolean> {
    await this.connect()
    const options = await this.#startOptions(row)
    try {
      await this.#connection.ask('start', row.runId, (client) => client.workflow.start(RUN_WORKFLOW, options))
      return true
    } catch (error) {
      if (nameOf(error) === 'WorkflowExecutionAlreadyStartedError') return false
      throw error
    }
  }

  /** False when no workflow of the run is open. */
  wake(workflowId: string): Promise<boolean> {
    return this.#whereOpen('wake', workflowId, (handle) => handle.signal(WAKE_SIGNAL))
  }

  cancel(workflowId: string): Promise<boolean> {
    return this.#whereOpen('cancel', workflowId, (handle) => handle.cancel())
  }

  /**
   * Workflows that were closed since an instant in another way than by the end of their run; some of them must be replaced by
   * this process.
   */
  async closedSince(since: Date): Promise<readonly ClosedWorkflow[]> {
    const query = `WorkflowType IN ('${RUN_WORKFLOW}', '${STEP_WORKFLOW}') AND CloseTime >= '${since.toISOString()}'
      AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled')`
    return this.#connection.ask('list', '-', async (client) => {
      const closed: ClosedWorkflow[] = []
      for await (const { workflowId, type, memo } of client.workflow.list({ query, pageSize: 100 })) {
        const epoch = memo?.[EPOCH_MEMO]
        closed.push({ workflowId, isStep: type === STEP_WORKFLOW, ...(typeof epoch === 'number' ? { epoch } : {}) })
        if (closed.length >= CLOSED_AT_ONCE) break
      }
      return closed
    })
  }

  /** Whether the run is this namespace's: only there its workflow can be looked for. */
  isOurs({ engineType, engineRunRef }: RunRow): boolean {
    const ref = parseEngineRunRef(engineRunRef)
    return engineType === 'temporal' && ref?.engineType === 'temporal' && ref.namespace === this.#settings.namespace
  }

  /** Whether a workflow of this id is open. */
  async isOpen(workflowId: string): Promise<boolean> {
    try {
      const seen = await this.#connection.ask('describe', workflowId, (client) =>
        client.workflow.getHandle(workflowId).describe(),
      )
      return seen.status.name === 'RUNNING'
    } catch (error) {
      if (nameOf(error) !== 'WorkflowNotFoundError') throw error
      return false
    }
  }

  async #whereOpen(
    operation: string,
    workflowId: string,
    call: (handle: { signal(name: string): Promise<void>; cancel(): Promise<unknown> }) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await this.#connection.ask(operation, workflowId, (client) => call(client.workflow.getHandle(workflowId)))
      return true
    } catch (error) {
      if (nameOf(error) !== 'WorkflowNotFoundError') throw error
      return false
    }
  }

  async #startOptions(row: RunRow): Promise<WorkflowStartOptions & { workflowId: string; taskQueue: string }> {
    const { common } = await this.#connection.sdk()
    const { tenantId, runId, epoch, nextSeq, projectId, environmentId } = row
    const carried: Carried = { tenantId, runId, epoch, headSeq: nextSeq - 1, rotations: 0 }
    const { regulatoryTier } = this.#settings
    const values = { tenantId, projectId, environmentId, ...(regulatoryTier === undefined ? {} : { regulatoryTier }) }
    const known = (await this.#registered) ?? new Set()
    const sendable = Object.entries(values).filter(([name]) => known.has(name))
    const pairs = sendable.map(([name, value]) => ({
      key: common.defineSearchAttributeKey(name, common.SearchAttributeType.KEYWORD),
      value,
    }))
    return {
      workflowId: workflowIdOf(row),
      taskQueue: runQueue(this.#settings, row),
      args: [carried],
      typedSearchAttributes: pairs,
      // The same run may come back to this engine; two workflows of one run at once are refused by the server.
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    }
  }

  /** A namespace that has them needs no right to add any. */
  async #register(): Promise<ReadonlySet<string>> {
    const { namespace } = this.#settings
    await checkNamespace(this.#connection, this.#settings)
    return this.#connection.ask('search attributes', '-', async ({ connection }) => {
      const { operatorService } = connection as { operatorService: OperatorService }
      let known: readonly string[] = []
      try {
        known = Object.keys((await operatorService.listSearchAttributes({ namespace })).customAttributes ?? {})
        const missing = ATTRIBUTES.filter((name) => !known.includes(name))
        const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]))
        if (missing.length > 0) await operatorService.addSearchAttributes({ namespace, searchAttributes })
        return new Set(ATTRIBUTES)
      } catch (error) {
        if (/already exist/i.test(error instanceof Error ? error.message : '')) return new Set(ATTRIBUTES)
        // Without the right to add search attributes, only existing ones are sent: a run must not fail because a label is
        // missing.
        if (NOT_ALLOWED.has((error as { readonly code?: number }).code ?? -1)) return new Set(known)
        throw error
      }
    })
  }
}

interface OperatorService {
  listSearchAttributes(request: { namespace: string }): Promise<{ customAttributes?: object | null }>
  addSearchAttributes(request: { namespace: string; searchAttributes: Record<string, number> }): Promise<unknown>
}

function isUnknownAttribute(error: unknown): boolean {
  return error instanceof Error && /search attribute/i.test(error.message)
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}
