/**
 * The engines of one process behind one interface: new runs start on the first; each run is woken, adopted and released
 * by the engine its row names. `migrate` moves runs between them.
 */
import { engineTypeOf, isOutside, type EngineType } from '../../core/engine/engine-type.ts'
import type { TurnResult, EngineCapabilities, EngineHost } from '../../ports/engine.ts'
import type { RunKey, RunRow, RunStore } from '../../ports/run-store.ts'

export interface OpenEngine {
  readonly capabilities: EngineCapabilities
  readonly host: EngineHost
}

export class Engines implements EngineHost {
  readonly #store: Pick<RunStore, 'getRun'>
  readonly #main: OpenEngine
  readonly #all: readonly OpenEngine[]
  readonly #drives: boolean

  /** Where this process drives nothing, no run is taken up, and a new one is left without a lease for whoever does. */
  constructor(store: Pick<RunStore, 'getRun'>, main: OpenEngine, others: readonly OpenEngine[], drives = true) {
    this.#store = store
    this.#drives = drives
    this.#main = main
    this.#all = [main, ...others]
  }

  /** Where new runs start, and all engines that are open here. */
  get types(): { readonly standard: EngineType; readonly open: readonly EngineType[] } {
    const open = this.#all.map(({ capabilities }) => capabilities.engineType)
    return { standard: this.#main.capabilities.engineType, open }
  }

  of(engineType: string): OpenEngine | undefined {
    const exact = this.#all.find(({ capabilities }) => capabilities.engineType === engineType)
    // `mock` is the embedded engine under another clock, and drives its own runs.
    const isLeased = !isOutside(engineTypeOf(engineType)) && !isOutside(this.#main.capabilities.engineType)
    return exact ?? (isLeased ? this.#main : undefined)
  }

  lease(): ReturnType<EngineHost['lease']> {
    return this.#drives ? this.#main.host.lease() : undefined
  }

  drive(runKey: RunKey, report: TurnResult): void {
    if (this.#drives) this.#main.host.drive(runKey, report)
  }

  /** Takes a child run, which is on its parent's engine. */
  take(row: RunRow, report: TurnResult | undefined): void {
    if (!this.#drives) return
    const { host } = this.of(row.engineType) ?? this.#main
    if (report === undefined) void host.want(row.runKey)
    else host.drive(row.runKey, report)
  }

  async want(runKey: RunKey): Promise<void> {
    if (this.#drives) await (await this.#hostOf(runKey))?.want(runKey)
  }

  async adopt(runKey: RunKey): Promise<boolean> {
    return this.#drives && ((await (await this.#hostOf(runKey))?.adopt(runKey)) ?? false)
  }

  async hold(row: RunRow): Promise<RunRow | undefined> {
    return this.#drives ? this.of(row.engineType)?.host.hold?.(row) : undefined
  }

  drives(runKey: RunKey): boolean {
    return this.#main.host.drives(runKey)
  }

  /** By the engines of this process, all together. */
  get drivenRuns(): number {
    return this.#all.reduce((sum, { host }) => sum + (host.drivenRuns ?? 0), 0)
  }

  ended(runKey: RunKey, signal?: AbortSignal): ReturnType<EngineHost['ended']> {
    return this.#main.host.ended(runKey, signal)
  }

  /** Each engine sees from the row whether the run is its own. */
  wake(runKey: RunKey): void {
    for (const { host } of this.#all) host.wake(runKey)
  }

  async queueWithoutWorker(): Promise<string | undefined> {
    return this.#main.host.queueWithoutWorker?.()
  }

  /** Rejects while the provider of an engine from outside does not answer. */
  async ping(): Promise<void> {
    await this.#main.host.ping?.()
  }

  async connect(): Promise<void> {
    await this.#main.host.connect?.()
  }

  cancelRun(runKey: RunKey): void {
    for (const { host } of this.#all) {
      if (host.cancelRun === undefined) host.wake(runKey)
      else host.cancelRun(runKey)
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ host }) => host.stop()))
  }

  async #hostOf(runKey: RunKey): Promise<EngineHost | undefined> {
    const row = await this.#store.getRun(runKey)
    return row === undefined ? undefined : this.of(row.engineType)?.host
  }
}
