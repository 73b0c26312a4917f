/**
 * Which runs of one tenant moved, for whoever shows a list of them: told as it happens, or asked for since a position that was
 * given out before. Of other tenants nothing is told, not even that they moved.
 */
import type { MoveWatch } from '../../app/feed/watch-moves.ts'
import { appendAll } from '../../core/collections/append-all.ts'
import { LIMITS } from '../../core/limits.ts'
import type { FeedStore, MovedRun } from '../../ports/feed.ts'

export interface TenantListener {
  moved(runs: readonly MovedRun[]): void
  /** Nobody knows what moved. */
  lost(): void
}

const PAGE = 1_000

export class TenantMoves {
  readonly #watch: MoveWatch
  readonly #store: Pick<FeedStore, 'readMoves'>
  readonly #byTenant = new Map<string, Set<TenantListener>>()
  #leave: (() => void) | undefined

  constructor(watch: MoveWatch, store: Pick<FeedStore, 'readMoves'>) {
    this.#watch = watch
    this.#store = store
  }

  /** Every move after where `place` stands from now on. */
  listen(tenantId: string, listener: TenantListener): () => void {
    const listeners = this.#byTenant.get(tenantId) ?? new Set()
    this.#byTenant.set(tenantId, listeners.add(listener))
    this.#leave ??= this.#watch.listen({
      moved: (runs) => this.#moved(runs),
      lost: () => this.#lost(),
    })
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#byTenant.get(tenantId) === listeners) this.#byTenant.delete(tenantId)
      if (this.#byTenant.size > 0) return
      this.#leave?.()
      this.#leave = undefined
    }
  }

  /** Where the feed stands. */
  place(): Promise<string> {
    return this.#watch.place()
  }

  /** What moved after a position; undefined when nobody can say, or when it is too much to say. */
  async since(tenantId: string, position: string): Promise<readonly MovedRun[] | undefined> {
    const found: MovedRun[] = []
    let after = position
    for (let read = 0; read < LIMITS.streamResumeAppends; read += PAGE) {
      const page = await this.#store.readMoves(after, PAGE)
      if (page === undefined) return undefined
      appendAll(
        found,
        page.runs.filter(({ run }) => run.tenantId === tenantId),
      )
      if (!page.more) return found
      after = page.position
    }
    return undefined
  }

  #moved(runs: readonly MovedRun[]): void {
    for (const [tenantId, own] of Map.groupBy(runs, ({ run }) => run.tenantId))
      for (const one of this.#byTenant.get(tenantId) ?? []) one.moved(own)
  }

  #lost(): void {
    for (const listeners of this.#byTenant.values()) for (const one of listeners) one.lost()
  }
}
