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
/** What moves again and again is counted once in a while. */
const REFRESH_MS = 400

export class RunList {
  readonly listed = new Watched<Listed>({ runs: [], counts: {}, isLoaded: false })
  readonly #session: Session
  readonly #asked: RunFilter
  readonly #leaving = new AbortController()
  #refreshing: ReturnType<typeof setTimeout> | undefined

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
    const { runs, next } = this.listed.get()
    if (next === undefined) return
    await this.#taking(async () => {
      const page = await this.#page(next)
      const known = new Set(runs.map(({ executionId }) => executionId))
      const others = page.executions.filter(({ executionId }) => !known.has(executionId))
      this.listed.set({ ...this.listed.get(), runs: [...runs, ...others], next: page.next })
    })
  }

  /** The first page anew; runs of later pages that were loaded stay. */
  async refresh(): Promise<void> {
    await this.#taking(async () => {
      const { signal } = this.#leaving
      const [page, counts] = await Promise.all([
        this.#page(undefined),
        this.#session.client.call('countExecutions', { signal }) as Promise<Readonly<Record<string, number>>>,
      ])
      const { runs: before, next: reached, isLoaded } = this.listed.get()
      const fresh = new Set(page.executions.map(({ executionId }) => executionId))
      const oldest = page.executions.at(-1)?.createdAt ?? ''
      const later = page.next === undefined ? [] : before.filter((one) => one.createdAt < oldest)
      const runs = [...page.executions, ...later.filter(({ executionId }) => !fresh.has(executionId))]
      const next = isLoaded && later.length > 0 ? reached : page.next
      this.listed.set({ runs, counts, next, isLoaded: true })
    })
  }

  #page(
    cursor: string | undefined,
  ): Promise<{ readonly executions: readonly ExecutionState[]; readonly next?: string }> {
    const query = { ...this.#asked, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
    return this.#session.client.call('listExecutions', { query, signal: this.#leaving.signal })
  }

  #moved(moved: readonly MovedRun[]): void {
    const byId = new Map(moved.map((one) => [one.executionId, one]))
    const { runs, ...rest } = this.listed.get()
    this.listed.set({
      ...rest,
      runs: runs.map((run) => ({ ...run, ...byId.get(run.executionId) }) as ExecutionState),
    })
    this.#refreshSoon(REFRESH_MS)
  }

  #refreshSoon(ms: number): void {
    this.#refreshing ??= setTimeout(() => {
      this.#refreshing = undefined
      void this.refresh()
    }, ms)
  }

  async #taking(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#failed(thrown)
    }
  }

  #failed(error: unknown): void {
    if (!this.#leaving.signal.aborted) this.listed.set({ ...this.listed.get(), isLoaded: true, error })
  }
}
