/**
 * Runs that are admitted now and started later: when somebody asks for what is queued (QUEUE), or when their time has come
 * (DELAY). Any number of processes may start what is queued in one store: each run starts once (BPQ-05).
 */
import { dequeueAndStart, type Dequeued } from '../../app/dequeue-runs.ts'
import type { StartRequest } from '../../app/start-run.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Parts } from './parts.ts'

export interface AdmissionOptions {
  /** Admit the run and leave it in the queue, until `keelson.queue.start()` of any process on this store starts it. */
  readonly queue?: boolean
  /** Not before this instant (epoch milliseconds or a Date). Whoever drives the run starts it then. */
  readonly notBefore?: number | Date
}

export interface QueueStart {
  /** At most so many. Default 1,000. */
  readonly limit?: number
  /** Only these; default all that are queued. */
  readonly runIds?: readonly string[]
}

/** Undefined: the run starts at once. */
export function admissionOf({ queue = false, notBefore }: AdmissionOptions): StartRequest['admission'] {
  if (!queue && notBefore === undefined) return undefined
  const at = notBefore === undefined ? {} : { notBefore: Number(notBefore) }
  return { policy: queue ? 'QUEUE' : 'DELAY', autoApprove: true, ...at }
}

export class RunQueue {
  readonly #parts: Parts
  readonly #tenantId: string
  readonly #check: (row: RunRow) => Promise<void>

  constructor(parts: Parts, tenantId: string, check: (row: RunRow) => Promise<void>) {
    this.#parts = parts
    this.#tenantId = tenantId
    this.#check = check
  }

  /**
   * Starts what is queued, oldest first, and drives it in this process. SKIPPED: not due, not approved, or another process
   * has it; FAILED: it cannot be started here, and stays queued.
   */
  async start({ limit, runIds }: QueueStart = {}): Promise<readonly Dequeued[]> {
    const { services, advancer, engine, engineType } = this.#parts
    const lease = engine.lease()
    // An outside engine has a queue of its own.
    if (lease === undefined) return []
    return dequeueAndStart(services, advancer, {
      tenantId: this.#tenantId,
      lease: () => engine.lease() ?? lease,
      engineType: engineType.engineType,
      onStarted: ({ runKey }, report) => engine.drive(runKey, report),
      check: this.#check,
      ...(limit === undefined ? {} : { limit }),
      ...(runIds === undefined ? {} : { runIds: new Set(runIds) }),
    })
  }
}
