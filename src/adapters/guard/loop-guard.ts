/**
 * Guards the event loop of a process that drives runs: a thread, started with the first step's code, renews the process's
 * leases while that code keeps the loop, and names the step. A process that is stuck still owns its runs: what it has begun
 * must not be begun beside it. One that is gone or stopped has no thread either, and its leases run out.
 */
import { Worker } from 'node:worker_threads'
import type { GuardedWork, LeaseRenewal, LoopBlock } from '../../ports/loop-guard.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'
import type { GuardData } from './guard-thread.ts'
import { SharedBeat } from './shared-beat.ts'

export interface LoopGuardOptions {
  readonly owner: string
  readonly leaseMs: number
  /** Absent where nobody else can reach the store. */
  readonly renewal?: LeaseRenewal
  readonly onBlocked: (block: LoopBlock) => void
}

const WARN_AFTER_MS = 5_000
const LONGEST_TICK_MS = 250

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const THREAD = new URL(`./guard-thread.${EXTENSION}`, import.meta.url)

export class LoopGuard {
  readonly #options: LoopGuardOptions
  readonly #shared = new SharedBeat()
  readonly #atWork = new Set<GuardedWork>()
  readonly #tickMs: number
  #worker: Worker | undefined
  #beating: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LoopGuardOptions) {
    this.#options = options
    this.#tickMs = Math.max(10, Math.min(LONGEST_TICK_MS, options.leaseMs / 6))
  }

  /** The same handlers, each call of theirs under guard. */
  around(handlers: StepHandlers): StepHandlers {
    return {
      ...handlers,
      call: async (call) => {
        const { runId, stepId } = call.context
        const inline = call.kind === 'run' && (call.isolation ?? 'inline') === 'inline'
        const ends = this.#begins({ runId, step: stepId, inline })
        try {
          return await handlers.call(call)
        } finally {
          ends()
        }
      },
    }
  }

  /** Nothing waits for the thread: it has nothing to finish. */
  close(): void {
    this.#closed = true
    clearInterval(this.#beating)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #begins(work: GuardedWork): () => void {
    this.#atWork.add(work)
    this.#note(work)
    if (this.#worker === undefined && !this.#closed) this.#start()
    this.#beating ??= setInterval(() => this.#shared.beat(), this.#tickMs).unref()
    return () => {
      this.#atWork.delete(work)
      this.#note(work)
      if (this.#atWork.size > 0) return
      clearInterval(this.#beating)
      this.#beating = undefined
    }
  }

  #note({ inline }: GuardedWork): void {
    this.#shared.beat()
    this.#shared.atWork = this.#atWork.size
    if (!inline) return
    const steps = [...this.#atWork].filter((one) => one.inline).toReversed()
    this.#shared.steps = steps.map(({ runId, step }) => ({ runId, step }))
  }

  #start(): void {
    const { owner, leaseMs, renewal, onBlocked } = this.#options
    const data: GuardData = {
      buffer: this.#shared.buffer,
      owner,
      leaseMs,
      tickMs: this.#tickMs,
      warnAfterMs: WARN_AFTER_MS,
      ...(renewal === undefined ? {} : { renewal }),
    }
    this.#worker = new Worker(THREAD, { workerData: data, execArgv: [] })
    this.#worker.unref()
    this.#worker.on('message', onBlocked)
    // Without it the leases are renewed by the loop alone, as long as that goes round.
    this.#worker.on('error', () => undefined)
  }
}
