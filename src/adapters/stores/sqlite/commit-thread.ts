/**
 * Large batches are written by a thread of their own, so that the calling thread decides and hashes meanwhile (ADR 0020). The two never
 * write at once: SQLite would let one wait for the lock, and the whole process with it. When the thread is lost, the fate of its batches
 * is unknown (P-10), and from then on the calling thread writes everything itself.
 */
import type { Worker } from 'node:worker_threads'
import { KeelsonError, problem, type Problems } from '../../../core/problems/problem.ts'
import type { CommitResult, RunCommit } from '../../../ports/run-store.ts'
import { handOver, type AuditRecords } from './hand-over.ts'

/** A defect is an error that is no KeelsonError: its text is all that can be handed over. */
export type Outcome =
  | { readonly results: readonly CommitResult[]; readonly appended: readonly boolean[] }
  | { readonly problems: Problems }
  | { readonly defect: string }

/** What the thread says; an answer names its batch. */
export type Said = { readonly ready: true } | (Outcome & { readonly number: number })

export interface CommitThreadData {
  readonly path: string
}

interface Waiting {
  readonly resolve: (results: readonly CommitResult[]) => void
  readonly reject: (reason: unknown) => void
  /** Records of the audit log that are in the same transaction. */
  readonly riders: readonly Rider[]
}

interface Rider {
  readonly records: AuditRecords
  readonly resolve: (isAppended: boolean) => void
  readonly reject: (reason: unknown) => void
}

/** Handing a batch over costs more than writing a small one. */
const LARGE = 8
/** After a large batch small ones come in between, and a rest for each of them would be felt. */
const WARM_MS = 10
/** A program with a few large batches ends sooner without a thread. */
const STARTS_AT = 16
/** What is on its way lies in the memory of both threads; the other has little. */
const TEXT_MAX = 8_000_000
const YOUNG_MB = 4
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const THREAD = new URL(`./write-batches.${EXTENSION}`, import.meta.url)

export class CommitThread {
  readonly #path: string
  readonly #onReady: () => void
  /** By the number of the batch, the oldest first. */
  readonly #waiting = new Map<number, Waiting>()
  /** They leave with the next batch, or when nothing is on its way any more. */
  #riders: readonly Rider[] = []
  #numbered = 0
  #worker: Worker | undefined
  #isReady = false
  #mayStart = true
  #large = 0
  /** When it was given a large batch last, in milliseconds of the process. */
  #largeAt = -Infinity
  /** Settles when nothing is on its way; present while something is. */
  #rest: PromiseWithResolvers<void> | undefined
  /** Settles when all who write on the calling thread have done so; batches for the thread wait for it. */
  #free: PromiseWithResolvers<void> | undefined
  #besides = 0

  /** `onReady` is called when the thread takes over the large batches. */
  constructor(path: string, onReady: () => void) {
    this.#path = path
    this.#onReady = onReady
  }

  /** Whether this batch is for the thread: it is large, or comes with others that are. */
  takes(batch: readonly RunCommit[]): boolean {
    if (batch.length >= LARGE) {
      this.#largeAt = performance.now()
      this.#large += 1
      if (this.#large === STARTS_AT) this.#start().catch(withoutThread)
    } else if (this.#rest === undefined && !this.#isWarm) return false
    return this.#isReady && textOf(batch) <= TEXT_MAX
  }

  async write(batch: readonly RunCommit[]): Promise<readonly CommitResult[]> {
    while (this.#free !== undefined) await this.#free.promise
    return this.#send(batch)
  }

  /** Whether it is writing, or about to: then what comes beside the batches had better be written by it too. */
  get isWriting(): boolean {
    return this.#isReady && this.#free === undefined && (this.#rest !== undefined || this.#isWarm)
  }

  get #isWarm(): boolean {
    return performance.now() - this.#largeAt < WARM_MS
  }

  /** With the next batch, so that it costs no commit of its own. False: the head is an old one, and nothing was written. */
  append(records: AuditRecords): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    this.#riders = [...this.#riders, { records, resolve, reject }]
    if (this.#waiting.size === 0) this.#sendRiders()
    return promise
  }

  #sendRiders(): void {
    const riders = this.#riders
    this.#send([]).catch((thrown: unknown) => {
      // Those that were not handed over; the others have their answer.
      for (const { reject } of riders) reject(thrown)
      this.#riders = this.#riders.filter((one) => !riders.includes(one))
    })
  }

  async #send(batch: readonly RunCommit[]): Promise<readonly CommitResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly CommitResult[]>()
    const worker = this.#worker
    if (worker === undefined) throw this.#lost()
    const number = ++this.#numbered
    const riders = this.#riders
    const handed = handOver(
      batch,
      number,
      riders.map(({ records }) => records),
    )
    worker.postMessage(handed, [handed.bytes.buffer])
    // Only now: for what could not be handed over nobody would ever answer.
    this.#riders = []
    this.#waiting.set(number, { resolve, reject, riders })
    if (this.#rest === undefined) {
      this.#rest = Promise.withResolvers()
      worker.ref()
    }
    return promise
  }

  /** Writes on the calling thread, between two batches of the other. All who wait for its rest share one. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isReady && this.#rest === undefined) return work()
    const free = (this.#free ??= Promise.withResolvers())
    this.#besides += 1
    try {
      await this.#rest?.promise
      return await work()
    } finally {
      this.#besides -= 1
      if (this.#besides === 0) {
        this.#free = undefined
        free.resolve()
      }
    }
  }

  async close(): Promise<void> {
    this.#mayStart = false
    for (let busy = this.#busy(); busy !== undefined; busy = this.#busy()) await busy
    const worker = this.#worker
    if (worker === undefined) return
    this.#worker = undefined
    this.#isReady = false
    const gone = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    worker.postMessage('close', [])
    await gone
  }

  /** Most commands start no thread, and load nothing of it. */
  async #start(): Promise<void> {
    const { Worker: Thread } = await import('node:worker_threads')
    if (!this.#mayStart) return
    const workerData: CommitThreadData = { path: this.#path }
    const worker = new Thread(THREAD, {
      workerData,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: 64 },
    })
    this.#worker = worker
    worker.unref()
    worker.on('message', (said: Said) => this.#hear(said))
    // An error ends the thread; whoever waits is told by its end.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#end(worker))
  }

  #hear(said: Said): void {
    if ('ready' in said) {
      this.#isReady = true
      this.#onReady()
      return
    }
    const [oldest] = this.#waiting
    if (!this.#isReady || oldest === undefined || oldest[0] !== said.number) {
      // An answer is missing or strange: neither it nor what follows is trusted. Whoever waits is told by the end of the thread.
      this.#isReady = false
      void this.#worker?.terminate()
      return
    }
    const [number, one] = oldest
    this.#waiting.delete(number)
    if (this.#waiting.size === 0 && this.#riders.length > 0) this.#sendRiders()
    if (this.#waiting.size === 0) {
      this.#worker?.unref()
      this.#toRest()
    }
    if ('results' in said) {
      for (const [at, { resolve }] of one.riders.entries()) resolve(said.appended[at] === true)
      one.resolve(said.results)
    } else refuse(one, 'problems' in said ? new KeelsonError(said.problems) : new Error(said.defect))
  }

  #end(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#isReady = false
    const lost = [...this.#waiting.values()]
    this.#waiting.clear()
    const riders = this.#riders
    this.#riders = []
    for (const one of lost) refuse(one, this.#lost())
    for (const { reject } of riders) reject(this.#lost())
    this.#toRest()
  }

  #busy(): Promise<void> | undefined {
    return (this.#rest ?? this.#free)?.promise
  }

  #toRest(): void {
    this.#rest?.resolve()
    this.#rest = undefined
  }

  #lost(): KeelsonError {
    const message = `The thread that writes to ${this.#path} has ended; whether its last batch was written is unknown.`
    return new KeelsonError([problem('STORE_UNAVAILABLE', message)])
  }
}

function refuse({ reject, riders }: Waiting, why: unknown): void {
  for (const rider of riders) rider.reject(why)
  reject(why)
}

/** A machine that gives no further thread: the calling thread goes on writing everything, as it did until now. */
function withoutThread(): void {}

function textOf(batch: readonly RunCommit[]): number {
  let length = 0
  for (const { events, blobs = [], context = [], notify = [] } of batch) {
    for (const { record, data = '' } of events) length += record.length + data.length
    for (const { text } of blobs) length += text.length
    for (const { value } of context) length += value.length
    for (const { row } of notify) length += row.body.length
  }
  return length
}
