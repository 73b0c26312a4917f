/**
 * A run behind a server whose log is followed over one stream: whoever looks for new records again and again finds those that have
 * arrived, and the server is not asked each time.
 */
import type { Client } from '../../../client/connect.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { GrantWait } from '../../../library/read/run-bounds.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { RemoteRun } from './remote-run.ts'

/** The server may be started anew: it has half a minute. */
const TRIES = 4

/** A run here is looked at as it is. */
export function followed(run: ReadableRun): ReadableRun & Partial<Disposable> {
  return run instanceof RemoteRun ? new FollowedRun(run.client, run.row) : run
}

export class FollowedRun extends RemoteRun implements Disposable {
  readonly #arrived: LogRecord[] = []
  readonly #leave = new AbortController()
  readonly #first: Promise<void>
  #hasEnded = false
  #failure: { readonly thrown: unknown } | undefined
  #waits: { readonly at: number; readonly told: Promise<readonly GrantWait[]> } | undefined

  /** `moved` is called when something has arrived. */
  constructor(client: Client, row: RunRow, moved: () => void = () => undefined) {
    super(client, row)
    const first = Promise.withResolvers<void>()
    this.#first = first.promise
    void this.#read(client, () => {
      first.resolve()
      moved()
    })
  }

  /** The server closes the stream after the last event of a run. */
  override async hasEnded(): Promise<boolean> {
    return this.#hasEnded
  }

  override async records(afterSeq = 0, upToSeq = Infinity): Promise<readonly LogRecord[]> {
    if (upToSeq !== Infinity) return super.records(afterSeq, upToSeq)
    await this.#first
    const found = this.#arrived.slice(this.#arrived.findIndex(({ runSeq }) => runSeq > afterSeq))
    const isNone = (this.#arrived.at(-1)?.runSeq ?? 0) <= afterSeq
    if (isNone && this.#failure !== undefined) throw this.#failure.thrown
    return isNone ? [] : found
  }

  /** Only what has happened can have changed it. */
  override grantWaits(): Promise<readonly GrantWait[]> {
    const at = this.#arrived.length
    if (this.#waits?.at !== at) this.#waits = { at, told: super.grantWaits() }
    return this.#waits.told
  }

  [Symbol.dispose](): void {
    this.#leave.abort()
  }

  async #read(client: Client, moved: () => void): Promise<void> {
    try {
      for await (const record of client.run(this.runId).events(0, { signal: this.#leave.signal, tries: TRIES })) {
        this.#arrived.push(record)
        moved()
      }
      this.#hasEnded = true
    } catch (thrown) {
      if (!this.#leave.signal.aborted) this.#failure = { thrown }
    } finally {
      moved()
    }
  }
}
