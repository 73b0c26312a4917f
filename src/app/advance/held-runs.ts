/**
 * What a process holds of the runs it drives: the fold, the grants, the epoch and the time of each. All of it is a cache of the
 * store and may be dropped at any time; whoever finds that the log has moved on drops it and reads again (P-10).
 */
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { CommitDoubts } from '../commit/doubts.ts'
import { folding } from '../deaths/last-words.ts'
import { RunGrants } from '../grants/run-grants.ts'
import { loadRun, type LoadedRun } from '../loaded/load-run.ts'
import { RunTimes, type RunMoment } from '../loaded/run-times.ts'
import type { PlanShelf } from '../plans/load.ts'
import type { Services } from '../services.ts'
import type { AdvanceRequest } from './turn.ts'

export class HeldRuns {
  readonly #services: Services
  readonly #plans: PlanShelf
  readonly #loaded = new Map<RunKey, LoadedRun>()
  /** Of runs whose plan wants grants; dropped with the fold. */
  readonly #grants = new Map<RunKey, RunGrants>()
  /** The epoch under which this process drives each run. If the row has a later epoch, another process drives the run. */
  readonly #epochs = new Map<RunKey, number>()
  readonly #times: RunTimes
  readonly doubts = new CommitDoubts()

  constructor(services: Services, plans: PlanShelf) {
    this.#services = services
    this.#plans = plans
    this.#times = new RunTimes(services.clock)
  }

  has(runKey: RunKey): boolean {
    return this.#loaded.has(runKey)
  }

  epochOf(runKey: RunKey): number | undefined {
    return this.#epochs.get(runKey)
  }

  /** The time of the run, by which its next turn is decided. */
  moment({ row, state }: LoadedRun): RunMoment {
    return this.#times.moment(row.runKey, state)
  }

  /** The fold at hand, if there is one. For readers. */
  atHand(runKey: RunKey): LoadedRun | undefined {
    return this.#loaded.get(runKey)
  }

  /** The fold at hand, read from the log when there is none. For readers. */
  current(runKey: RunKey): Promise<LoadedRun> {
    const known = this.#loaded.get(runKey)
    return known === undefined ? loadRun(this.#services.store, this.#plans, runKey) : Promise.resolve(known)
  }

  /** The fold that a turn is decided on, at once where it is at hand. Refuses a run that another process drives by now. */
  load(runKey: RunKey, request: AdvanceRequest): LoadedRun | Promise<LoadedRun> {
    // Whoever was told of a later epoch knows more than this process: what it holds of the run is old.
    if (request.epoch !== undefined && (this.#epochs.get(runKey) ?? request.epoch) < request.epoch) this.release(runKey)
    const known = this.#loaded.get(runKey)
    return known === undefined ? this.#reload(runKey, request) : this.#driven(known, request)
  }

  async #reload(runKey: RunKey, request: AdvanceRequest): Promise<LoadedRun> {
    const run = await loadRun(this.#services.store, this.#plans, runKey, folding(this.#services))
    this.doubts.reloaded(runKey)
    return this.#driven(run, request)
  }

  #driven(run: LoadedRun, request: AdvanceRequest): LoadedRun {
    const { runKey } = run.row
    const adopting = request.adopt === true || request.handoff !== undefined
    const owned = request.epoch ?? this.#epochs.get(runKey)
    // Nobody drives an ended run: any process may add the few events that may follow the end (P-48).
    if (!adopting && owned !== undefined && owned !== run.epoch && !isTerminalRun(run.state.status)) {
      fail(
        'RUN_EPOCH_STALE',
        `run ${run.row.runId} is driven by another process under epoch ${run.epoch}; this one had ${owned}`,
      )
    }
    if (!adopting && !this.#epochs.has(runKey)) this.#epochs.set(runKey, run.epoch)
    this.#loaded.set(runKey, run)
    return run
  }

  /** For runs whose plan wants grants. */
  async grantsOf(run: LoadedRun): Promise<RunGrants | undefined> {
    if (isTerminalRun(run.state.status)) return undefined
    const { runKey, tenantId } = run.row
    const { store, clock } = this.#services
    const known = this.#grants.get(runKey)
    await known?.refresh(store, tenantId, run.plan.graph, clock.now())
    if (known !== undefined) return known
    const loaded = await RunGrants.load(store, run.row, run.plan.graph, clock.now())
    this.#grants.set(runKey, loaded)
    return loaded
  }

  /** A turn was written under this epoch: this process drives the run from now on. */
  drivenUnder(runKey: RunKey, epoch: number): void {
    this.#epochs.set(runKey, epoch)
  }

  /** This process created the run and drives it under its first epoch. */
  own(runKey: RunKey, run: LoadedRun): void {
    if (this.#epochs.has(runKey)) return
    this.#loaded.set(runKey, run)
    this.#epochs.set(runKey, run.epoch)
    this.#times.moment(runKey, run.state)
  }

  forget(runKey: RunKey): void {
    // It holds events that the log does not have yet: it is dropped once they are written or given up.
    if (this.#services.failOpen?.isAhead(runKey) === true) return
    this.#loaded.delete(runKey)
    this.#grants.delete(runKey)
  }

  /** The log reaches at least there: a fold that does not is old (another worker of the run's engine wrote since). */
  see(runKey: RunKey, headSeq: number): void {
    const known = this.#loaded.get(runKey)
    if (known !== undefined && known.nextSeq - 1 < headSeq) this.forget(runKey)
  }

  /** Another process drives the run: only its time is kept here, in case it comes back. */
  release(runKey: RunKey): void {
    this.#loaded.delete(runKey)
    this.#grants.delete(runKey)
    this.#epochs.delete(runKey)
    this.doubts.release(runKey)
  }

  /** The run has ended. */
  end(runKey: RunKey): void {
    this.release(runKey)
    this.#times.forget(runKey)
  }
}
