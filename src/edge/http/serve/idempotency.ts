/**
 * Starts with an `Idempotency-Key` (IDC): whoever takes the key does the work, all others get its answer, in whichever process they
 * ask. The key belongs to the execution that it started: as long as that runs, a repeat is answered with it; for 600 s after its
 * success as well; a failed one may be started again. The run's id is on record before the run is, so that a process that dies
 * between the two starts no second one.
 */
import { canonicalText } from '../../../app/log/canonical.ts'
import { sha256Bytes } from '../../../app/log/sha256.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { RunHandle } from '../../../library/act/run-handle.ts'
import { storeOf } from '../../../library/services-of.ts'
import type { RequestRef, RequestTaken } from '../../../ports/idempotency.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import type { Asked, Reply } from './bound-route.ts'

const KEY = /^[a-zA-Z0-9-]{1,255}$/
/**
 * How long a repeat waits for the server that has the key, if that server died before the run was on record. One that is merely slow loses
 * nothing: whoever takes the key over starts the run under the same id.
 */
const LEASE_MS = 10_000
const LOOK_MS = 25
/** Of the answer that has the end of the run. */
const OK = 200
/** After these nobody knows whether the run was written. */
const IN_DOUBT: ReadonlySet<string> = new Set(['STORE_WRITE_TIMEOUT', 'STORE_UNAVAILABLE'])

type Answered = Extract<RequestTaken, { kind: 'answered' }>['answer']

interface Work {
  /** Method and path of the route. */
  readonly route: string
  /** Starts the run under this id, or under one of its own choice if there is none. */
  readonly start: (executionId?: string) => Promise<RunHandle>
  /** Whether the answer is that of the end. How long somebody waits is no part of what they ask for: a repeat may wait where the first did not. */
  readonly isAwaited: boolean
  /** The answer for whoever started it, or found it. */
  readonly answer: (run: RunHandle) => Promise<Reply>
}

export async function startOnce(asked: Asked, work: Work): Promise<Reply> {
  const key = asked.header('idempotency-key')
  if (key === undefined) return work.answer(await work.start())
  if (!KEY.test(key)) fail('HEADER_INVALID', 'Idempotency-Key has 1 to 255 letters, digits and dashes')
  return new KeyedStart(asked, work, key).answer()
}

class KeyedStart {
  readonly #asked: Asked
  readonly #work: Work
  readonly #store: RunStore
  readonly #ref: RequestRef
  readonly #owner: string
  readonly #bodySha256: Uint8Array

  constructor(asked: Asked, work: Work, key: string) {
    const { world, caller, body, query } = asked
    const { mode: _wait, ...what } = { ...(query as Readonly<Record<string, unknown>> | undefined) }
    this.#asked = asked
    this.#work = work
    this.#store = storeOf(world.keelson)
    this.#ref = { tenantId: caller.tenantId, route: work.route, key }
    this.#owner = world.uuid()
    this.#bodySha256 = sha256Bytes(canonicalText({ body, query: what }))
  }

  async answer(): Promise<Reply> {
    for (;;) {
      const taken = await this.#take()
      if (taken.kind === 'taken') {
        const reply = await this.#begin(taken.executionId)
        if (reply !== undefined) return reply
        continue
      }
      if (!isSame(taken.bodySha256, this.#bodySha256))
        return fail(
          'IDEMPOTENCY_KEY_CONFLICT',
          `another request was sent before with the Idempotency-Key '${this.#ref.key}'`,
        )
      if (taken.kind === 'answered') return this.#replayed(taken.answer)
      if (taken.executionId !== undefined) {
        const run = await this.#runOf(taken.executionId)
        if (run !== undefined) return asReplay(await this.#work.answer(run))
      }
      // Another request has the key and is about to start the run.
      await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
      this.#asked.gone.throwIfAborted()
    }
  }

  async #replayed({ status, headers, body: text }: Answered): Promise<Reply> {
    const body = JSON.parse(text) as { readonly executionId?: string }
    const isOfEnd = status === OK
    const run = isOfEnd === this.#work.isAwaited ? undefined : await this.#runOf(body.executionId ?? '')
    if (run !== undefined) return asReplay(await this.#work.answer(run))
    return asReplay({ status, headers, body, ...(isOfEnd ? { tag: 'strong' } : {}) })
  }

  #take(): Promise<RequestTaken> {
    const now = this.#asked.world.now()
    const lease = { owner: this.#owner, now, until: now + LEASE_MS, ttlMs: LIMITS.idempotencyMs }
    return this.#store.takeRequest({ ...this.#ref, bodySha256: this.#bodySha256, ...lease })
  }

  /** The key is ours. An earlier owner may have started its run, and gone. Undefined: the key was taken from us before we could begin. */
  async #begin(earlier: string | undefined): Promise<Reply | undefined> {
    const before = earlier === undefined ? undefined : await this.#runOf(earlier)
    if (before !== undefined && this.#stillCounts(before)) {
      this.#settleAtEnd(before)
      return asReplay(await this.#work.answer(before))
    }
    const executionId = before === undefined && earlier !== undefined ? earlier : this.#asked.world.uuid()
    if (!(await this.#store.noteExecution(this.#ref, this.#owner, executionId))) return undefined
    let run: RunHandle
    try {
      run = await this.#work.start(executionId)
      if (run.runId !== executionId) await this.#store.noteExecution(this.#ref, this.#owner, run.runId)
    } catch (thrown) {
      const found = await this.#afterFailure(executionId, thrown)
      if (found === undefined) throw thrown
      return asReplay(await this.#work.answer(found))
    }
    this.#settleAtEnd(run)
    return this.#work.answer(run)
  }

  /**
   * A refused start frees its key. If the store gave no answer, the run may be on record all the same or come to be later: the key keeps
   * its id, and the next request with it goes on at once. The run is there already if whoever took the key over was quicker.
   */
  async #afterFailure(executionId: string, thrown: unknown): Promise<RunHandle | undefined> {
    if (thrown instanceof KeelsonError && thrown.code === 'RUN_ALREADY_EXISTS') return this.#runOf(executionId)
    const isRefused = thrown instanceof KeelsonError && !IN_DOUBT.has(thrown.code)
    const freed = isRefused
      ? this.#store.dropRequest(this.#ref, this.#owner)
      : this.#store.keepRequest(this.#ref, this.#owner, this.#asked.world.now())
    // What failed is told to the caller; the lease frees the key of a store that is away.
    await freed.catch(() => undefined)
    return undefined
  }

  #stillCounts({ row }: RunHandle): boolean {
    if (!isTerminalRun(row.status)) return true
    return row.status === 'COMPLETED' && this.#asked.world.now() - row.updatedAt <= LIMITS.idempotencyMs
  }

  /** The answer is kept from the success of the run on; without success the key is free again (IDC-03, IDC-10). */
  #settleAtEnd(run: RunHandle): void {
    const { world } = this.#asked
    const settle = async (): Promise<void> => {
      const { status } = await run.result({ signal: world.stopping })
      if (status !== 'COMPLETED') return void (await this.#store.dropRequest(this.#ref, this.#owner))
      const { status: code = 200, headers = {}, body } = await this.#work.answer(run)
      const kept = { status: code, headers, body: JSON.stringify(body ?? null) }
      await this.#store.answerRequest(this.#ref, this.#owner, kept, world.now())
    }
    settle().catch((thrown: unknown) => {
      // The server stops, or the run was set aside: the next request with the key looks at the run itself.
      if (!world.stopping.aborted && !(thrown instanceof KeelsonError)) world.tell(thrown, this.#asked.correlationId)
    })
  }

  async #runOf(executionId: string): Promise<RunHandle | undefined> {
    try {
      return await this.#asked.keelson.run(executionId)
    } catch (thrown) {
      if (thrown instanceof KeelsonError && thrown.code === 'RUN_NOT_FOUND') return undefined
      throw thrown
    }
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

function asReplay(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'x-idempotent-replayed': 'true' } }
}
