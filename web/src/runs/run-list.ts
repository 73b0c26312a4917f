/** The list of runs as it is loaded and kept fresh: page by page by cursor, and changed by what the tenant's stream tells. */
import type { ExecutionState } from '../../../src/client/connect.ts'
import type { RunFilter } from '../../../src/core/filter/run-filter.ts'
import type { Session } from '../server/session.ts'
import { followTenant, type MovedRun } from '../server/tenant-moves.ts'
import { Watched } from '../server/watched.ts'

export interface Listed {
  readonly runs: readonly ExecutionState[]
  readonly counts: Readonly<Record<string, number>>
  /** The cursor of the next page. */
  readonly next?: string | undefined
  readonly isLoaded: boolean
  readonly error?: unknown
}

const PAGE = 50
/** The most that the server gives at once. */
const MOST = 1_000
/** What moves again and again is read once in a while; a long list, which is more to read, less often. */
const REFRESH_MS = 400
const REFRESH_LONG_MS = 2_000
const LONG = 200

export class RunList {
  readonly listed = new Watched<Listed>({ runs: [], counts: {}, isLoaded: false })
  readonly #session: Session
  readonly #asked: RunFilter
  readonly #leaving = new AbortController()
  #refreshing: ReturnType<typeof setTimeout> | undefined
  /** Something moved while the list was read anew. */
  #isDue = false
  /** One reading after the other: each goes on from what the one before found. */
  #turn: Promise<void> = Promise.resolve()

  constructor(session: Session, asked: RunFilter) {
    this.#session = session
    this.#asked = asked
  }

  open(): void {
    const listener = { moved: (runs: readonly MovedRun[]) => this.#moved(runs), resync: () => this.#refreshSoon(0) }
    const following = followTenant(this.#session.connection, listener, this.#leaving.signal)
    following.catch((error: unknown) => this.#failed(error))
  }

  close(): void {
    this.#leaving.abort()
    clearTimeout(this.#refreshing)
  }

  async more(): Promise<void> {
    await this.#taking(async () => {
      const { next: cursor } = this.listed.get()
      if (cursor === undefined) return
      const { executions, next } = await this.#page(cursor, PAGE)
      // What moved meanwhile was told to the rows that were there.
      const { runs, counts } = this.listed.get()
      const known = new Set(runs.map(({ executionId }) => executionId))
      const others = executions.filter(({ executionId }) => !known.has(executionId))
      this.listed.set({ runs: [...runs, ...others], counts, next, isLoaded: true })
    })
  }

  /** As many as are shown anew: a run of any page may have moved, so that it does not fit any more. */
  async refresh(): Promise<void> {
    await this.#taking(async () => {
      const { signal } = this.#leaving
      const [{ runs, next }, counts] = await Promise.all([
        this.#newest(Math.max(PAGE, this.listed.get().runs.length)),
        this.#session.client.call('countExecutions', { signal }) as Promise<Readonly<Record<string, number>>>,
      ])
      this.listed.set({ runs, counts, next, isLoaded: true })
    })
  }

  async #newest(count: number): Promise<Pick<Listed, 'runs' | 'next'>> {
    const runs: ExecutionState[] = []
    for (let cursor: string | undefined; ;) {
      const { executions, next } = await this.#page(cursor, Math.min(MOST, count - runs.length))
      runs.push(...executions)
      if (next === undefined || runs.length >= count) return { runs, next }
      cursor = next
    }
  }

  #page(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly executions: readonly ExecutionState[]; readonly next?: string }> {
    const query = { ...this.#asked, limit, ...(cursor === undefined ? {} : { cursor }) }
    return this.#session.client.call('listExecutions', { query, signal: this.#leaving.signal })
  }

  #moved(moved: readonly MovedRun[]): void {
    const byId = new Map(moved.map((one) => [one.executionId, one]))
    const { runs, ...rest } = this.listed.get()
    this.listed.set({
      ...rest,
      runs: runs.map((run) => ({ ...run, ...byId.get(run.executionId) }) as ExecutionState),
    })
    this.#movedSoon()
  }

  #movedSoon(): void {
    this.#refreshSoon(this.listed.get().runs.length > LONG ? REFRESH_LONG_MS : REFRESH_MS)
  }

  #refreshSoon(ms: number): void {
    if (this.#refreshing !== undefined) {
      this.#isDue = true
      return
    }
    this.#refreshing = setTimeout(() => void this.#refreshNow(), ms)
  }

  async #refreshNow(): Promise<void> {
    this.#isDue = false
    await this.refresh()
    this.#refreshing = undefined
    if (this.#isDue && !this.#leaving.signal.aborted) this.#movedSoon()
  }

  #taking(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch((thrown: unknown) => this.#failed(thrown))
    return this.#turn
  }

  #failed(error: unknown): void {
    if (!this.#leaving.signal.aborted) this.listed.set({ ...this.listed.get(), isLoaded: true, error })
  }
}
