/**
 * The worker host: polls the task queues of its scopes, carries activities out and runs the generic workflow. It stops
 * gracefully: no new work, a grace for what runs, then the platform gives it to others.
 */
import type { Worker, WorkerOptions } from '@temporalio/worker'
import { fail } from '../../../../core/problems/problem.ts'
import { HEARTBEAT_THROTTLE_MS } from '../sandbox/activity-options.ts'
import { runActivities, type ActivityParts } from './activities.ts'
import { converterOf, notServed, type TemporalConnection } from '../client/connection.ts'
import { wakeQueue } from '../sandbox/wire.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** Workflow tasks at once, for every queue. */
const WORKFLOW_TASKS = 40
/** Wake-ups at once, beside the steps. */
const WAKES = 40

export interface WorkerParts extends Omit<ActivityParts, 'sdk'> {
  readonly connection: TemporalConnection
  readonly queues: readonly string[]
}

export class WorkerHost {
  readonly #parts: WorkerParts
  #starting: Promise<readonly Worker[]> | undefined
  #ended: Promise<unknown> = Promise.resolve()

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /** Once at a time; a worker that cannot be made, or that broke, leaves nothing behind and may be tried again. */
  async start(onEnd: (error: unknown) => void): Promise<void> {
    if (this.#starting !== undefined)
      fail('TEMPORAL_WORKER_ALREADY_STARTED', `a worker already listens to ${this.#parts.queues.join(', ')}`)
    this.#starting = this.#create()
    try {
      const workers = await this.#starting
      this.#ended = Promise.all(workers.map((worker) => worker.run())).catch((error: unknown) => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
        this.#starting = undefined
        onEnd(error)
      })
    } catch (error) {
      this.#starting = undefined
      throw error
    }
  }

  async stop(): Promise<void> {
    const workers = (await this.#starting?.catch(() => [])) ?? []
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    await this.#ended
    this.#starting = undefined
  }

  async #create(): Promise<readonly Worker[]> {
    const { connection, queues, settings } = this.#parts
    const sdk = await connection.sdk()
    const [native, workflows] = await Promise.all([connection.native(), workflowBundle(sdk)])
    const activities = { ...runActivities({ ...this.#parts, sdk }) }
    const common = {
      connection: native,
      namespace: settings.namespace,
      activities,
      dataConverter: converterOf(settings),
      defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
      maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
      shutdownGraceTime: settings.shutdownGraceMs,
    }
    const work = {
      ...common,
      workflowBundle: workflows,
      maxConcurrentActivityTaskExecutions: settings.maxSteps,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
      ...(settings.maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows: settings.maxCachedWorkflows }),
    }
    const wakes = { ...common, maxConcurrentActivityTaskExecutions: WAKES }
    const options = queues.flatMap((queue) => [
      { ...work, taskQueue: queue },
      { ...wakes, taskQueue: wakeQueue(queue) },
    ])
    const create = (one: WorkerOptions): Promise<Worker> =>
      sdk.worker.Worker.create(one).catch((error: unknown) => notServed(settings, error))
    return Promise.all(options.map(create))
  }
}
