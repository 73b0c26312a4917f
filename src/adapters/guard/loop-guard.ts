/**
 * Guards the event loop of a process that drives runs. A thread, started with the first step's code, renews the
 * process's leases while that code blocks the loop, and names the step. A stuck process still owns its runs: work it
 * has begun must not begin elsewhere too. A process that is dead or suspended has no running thread, and its leases
 * expire.
 */
import { Worker } from 'node:worker_threads'
import type { GuardedWork, LeaseRenewal, LoopBlock } from '../../ports/loop-guard.ts'
import type { StepHandlers } from '../../ports/step-handlers.ts'
import type { GuardData } from './guard-thread.ts'
import { NAMED_STEPS, SharedBeat } from './shared-beat.ts'

export interface LoopGuardOptions {
  readonly owner: string
  readonly leaseMs: number
  /** Absent where no other process can reach the store. */
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
  /**
   * The latest steps whose code runs here; searched again only when all of them have ended, because this runs with
   * every step.
   */
  #named: readonly GuardedWork[] = []
  readonly #tickMs: number
  #worker: Worker | undefined
  #beating: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LoopGuardOptions) {
    this.#options = options
    this.#tickMs = Math.max(10, Math.min(LONGEST_TICK_MS, options.leaseMs / 6))
  }

  /** The same handlers, with each call guarded. */
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

  /** Nobody waits for the thread: it has nothing to finish. */
  close(): void {
    this.#closed = true
    clearInterval(this.#beating)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #begins(work: GuardedWork): () => void {
    this.#atWork.add(work)
    this.#begun(work)
    if (this.#worker === undefined && !this.#closed) this.#start()
    this.#beating ??= setInterval(() => this.#beat(), this.#tickMs).unref()
    return () => {
      this.#atWork.delete(work)
      this.#ended(work)
    }
  }

  /** It ends by itself, not with the last step at work: of a chain, that would be with each step. */
  #beat(): void {
    this.#shared.beat()
    if (this.#atWork.size > 0) return
    clearInterval(this.#beating)
    this.#beating = undefined
  }

  #begun(work: GuardedWork): void {
    this.#shared.beat()
    this.#shared.atWork = this.#atWork.size
    if (!work.inline) return
    this.#named = [work, ...this.#named].slice(0, NAMED_STEPS)
    this.#shared.steps = this.#named
  }

  #ended(work: GuardedWork): void {
    this.#shared.beat()
    this.#shared.atWork = this.#atWork.size
    if (!this.#named.includes(work)) return
    this.#named = this.#named.filter((one) => one !== work)
    // The names are read only while something is at work.
    if (this.#atWork.size === 0) return
    if (this.#named.length === 0)
      this.#named = [...this.#atWork]
        .filter((one) => one.inline)
        .slice(-NAMED_STEPS)
        .toReversed()
    this.#shared.steps = this.#named
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
    // Without the thread only the loop renews the leases, as long as it is not blocked.
    this.#worker.on('error', () => undefined)
  }
}
