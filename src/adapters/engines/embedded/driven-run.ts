/**
 * One run in the hands of the embedded engine: its effects in flight, its next wake-up and its turns of `advance`.
 * Reports wait here until an advance has taken them in; a store that fails now is asked again.
 */
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import type { Effect } from '../../../core/run/effect.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AdvanceOptions, TurnResult, EffectOutcome, RunDriver } from '../../../ports/engine.ts'
import type { RunKey, RunStatus } from '../../../ports/run-store.ts'
import type { Timers } from '../../../ports/timers.ts'
import { afterGrace, once } from './grace.ts'
import type { ProcessPlaces } from './process-places.ts'
import type { LeaseTime } from './run-leases.ts'
import { WakeUp } from './wake-up.ts'

const RETRY_MS = 200

export interface DrivenRunOptions {
  readonly runKey: RunKey
  readonly driver: RunDriver
  readonly clock: Clock
  readonly timers: Timers
  /** Places of the process for steps at work. */
  readonly places: ProcessPlaces
  /** May the lease have run out? */
  readonly isLeaseOver: () => boolean
  /** Takes the lease again. False when the run is somebody else's. */
  readonly renew: () => Promise<boolean>
  /** Was the run handed over to another engine? What comes too late is told to that one; adoption leaves it unsaid. */
  readonly isElsewhere: () => Promise<boolean>
  readonly onReport: (report: TurnResult) => void
  /** A row was left in the inbox of another run. */
  readonly onTold: () => void
  /** Something failed and is tried again. */
  readonly onFailure: (thrown: unknown) => void
  /** The run has ended and nothing of it is in flight here, or it is somebody else's now. */
  readonly onDone: (reason: 'ended' | 'lost', problem?: unknown) => void
}

export class DrivenRun {
  readonly #options: DrivenRunOptions
  readonly #running = new Map<string, { readonly effect: Effect; readonly controller: AbortController }>()
  #reports: EffectOutcome[] = []
  #turning = false
  #again = false
  #stopped = false
  #lost = false
  #adopting: boolean
  /** Came while the run was being taken over: of no use if that came after it. */
  #brought: TurnResult | undefined
  readonly #wakeUp: WakeUp
  /** Until when this process surely holds the run; kept here for the engine, which holds the lease. */
  lease: LeaseTime
  #epoch: number | undefined
  #status: RunStatus = 'PENDING'
  #terminal = false
  #owed = false

  constructor(options: DrivenRunOptions, adopting: boolean, lease: LeaseTime) {
    this.#options = options
    this.#adopting = adopting
    this.lease = lease
    this.#wakeUp = new WakeUp(options.clock, options.timers, () => this.wake())
  }

  get status(): RunStatus {
    return this.#status
  }

  /** The epoch it is driven under; undefined until it has been taken over. */
  get epoch(): number | undefined {
    return this.#epoch
  }

  get inFlight(): number {
    return this.#running.size
  }

  /** Nothing of it is under way here and nothing comes due until then: the log says all there is to know of it. */
  isQuietUntil(instant: number): boolean {
    const isBusy = this.#turning || this.#running.size > 0 || this.#reports.length > 0
    if (isBusy || this.#stopped || this.#terminal || this.#owed || this.#adopting) return false
    return (this.#wakeUp.instant ?? Infinity) > instant
  }

  /** Something may have changed: take a turn. */
  wake(): void {
    if (this.#stopped) return
    if (this.#turning) this.#again = true
    else void this.#turn()
  }

  /** Goes on from a report somebody else's call brought: the run's creation, or its start from the queue. */
  begin(report: TurnResult): void {
    if (this.#adopting) this.#brought = report
    else this.#take(report)
    if (this.#turning) this.#again = true
  }

  /** Nothing more leaves from here. What still runs is abandoned or aborted. */
  stop(abort: boolean): void {
    this.#stopped = true
    this.#wakeUp.cancel()
    if (abort) for (const { controller } of this.#running.values()) controller.abort(stopReason('the engine stops'))
    this.#running.clear()
  }

  /** Somebody else has the run. What was begun here is told to another engine, which refuses and records it. */
  lose(): void {
    this.#lost = true
    this.stop(true)
    this.#leaveReports()
  }

  #leaveReports(): void {
    const reports = this.#reports
    this.#reports = []
    for (const report of reports) void this.#leave(report)
  }

  async #leave(report: EffectOutcome): Promise<void> {
    const { driver, runKey, onFailure, isElsewhere } = this.#options
    if (this.#epoch === undefined) return
    try {
      if (await isElsewhere()) await driver.leave?.(runKey, { ...report, epoch: this.#epoch })
    } catch (thrown) {
      // Nobody waits for it; whoever has the run now does the work again.
      onFailure(thrown)
    }
  }

  async #turn(): Promise<void> {
    this.#turning = true
    do {
      this.#again = false
      const reports = this.#reports
      this.#reports = []
      try {
        const report = this.#adopting
          ? await this.#options.driver.adopt(this.#options.runKey)
          : await this.#options.driver.advance(this.#options.runKey, reports, this.#underEpoch())
        if (this.#adopting) this.#reports = [...reports, ...this.#reports]
        this.#adopting = false
        this.#take(report)
        if (this.#brought?.epoch === report.epoch) this.#take(this.#brought)
        this.#brought = undefined
        if (this.#reports.length > 0) this.#again = true
      } catch (thrown) {
        this.#reports = [...reports, ...this.#reports]
        if (this.#failed(thrown)) return
      }
    } while (this.#again && !this.#stopped)
    this.#turning = false
    this.#finishIfDone()
  }

  /** Somebody else of this process may have learnt that the run was taken over, and have let go of it: we must, too. */
  #underEpoch(): AdvanceOptions {
    return this.#epoch === undefined ? {} : { epoch: this.#epoch }
  }

  /** True when the run is no longer ours. Anything else is tried again after a while. */
  #failed(thrown: unknown): boolean {
    if (this.#lost) this.#leaveReports()
    if (this.#stopped) return true
    const lost = thrown instanceof KeelsonError && thrown.problems.some((one) => !one.retryable)
    if (lost) {
      if (thrown.code === 'RUN_EPOCH_STALE') this.lose()
      else this.stop(true)
      this.#options.onDone('lost', thrown)
      return true
    }
    this.#options.onFailure(thrown)
    this.#wakeUp.set(this.#options.clock.now() + RETRY_MS)
    return false
  }

  #take(report: TurnResult): void {
    if (this.#stopped) return
    this.#epoch = report.epoch
    this.#status = report.status
    this.#terminal = report.terminal
    this.#owed = report.owed === true
    for (const effect of report.effects) this.#launch(effect)
    this.#wakeUp.set(report.wakeAt)
    this.#options.onReport(report)
    if (!this.#turning) this.#finishIfDone()
  }

  #launch(effect: Effect): void {
    if (effect.kind === 'CancelStep') {
      const which = effect.id.slice(effect.kind.length)
      for (const kind of ['ExecuteStep', 'Compensate'])
        this.#running.get(kind + which)?.controller.abort(stopReason('cancelled'))
      return
    }
    if (this.#running.has(effect.id) || this.#awaitsTaking(effect)) return
    const controller = new AbortController()
    this.#running.set(effect.id, { effect, controller })
    void this.#execute(effect, controller)
  }

  /** It was carried out and its report waits for the next turn; an effect owed again must not run twice for that. */
  #awaitsTaking(effect: Effect): boolean {
    if (!('engineAttempt' in effect)) return false
    const { slot, attempt, engineAttempt } = effect
    return this.#reports.some(
      (one) => one.slot === slot && one.attempt === attempt && one.engineAttempt === engineAttempt,
    )
  }

  /** Work waits for a place of the process; whoever is asked to stop meanwhile reports at once without one. */
  async #carryOut(effect: Effect, signal: AbortSignal): Promise<EffectOutcome | undefined> {
    const { driver, runKey, places } = this.#options
    const works = effect.kind === 'ExecuteStep' || effect.kind === 'Compensate'
    const asked = works && driver.wantsAlone?.(runKey, effect)
    const alone = asked instanceof Promise && (await asked)
    const entering = works ? places.enter(runKey, signal, alone) : 'aborted'
    const entered = entering instanceof Promise ? await entering : entering
    const leave = entered === 'entered' ? once(() => places.leave()) : undefined
    const ignored = leave === undefined ? undefined : afterGrace(this.#options.timers, signal, leave)
    try {
      if (this.#options.isLeaseOver()) await this.#holdLease()
      return await driver.execute(runKey, effect, signal, leave)
    } finally {
      ignored?.()
      leave?.()
    }
  }

  /** A process that slept past its lease must not act on what it knew before: the run may be over elsewhere. */
  async #holdLease(): Promise<void> {
    if (await this.#options.renew()) return
    fail('RUN_EPOCH_STALE', 'the run is driven by another process')
  }

  async #execute(effect: Effect, controller: AbortController): Promise<void> {
    try {
      const report = await this.#carryOut(effect, controller.signal)
      this.#running.delete(effect.id)
      if (effect.kind === 'SignalChild') this.#options.onTold()
      if (this.#lost && report !== undefined) await this.#leave(report)
      if (this.#stopped) return
      if (report !== undefined) {
        this.#reports.push(report)
        this.wake()
      } else {
        this.#finishIfDone()
      }
    } catch (thrown) {
      // The effect could not be carried out or its fate is unknown (a store that does not answer): it is still owed.
      if (this.#stopped) return
      // Of a run that was set aside nothing is owed any more.
      if (thrown instanceof KeelsonError && thrown.code === 'RUN_QUARANTINED') {
        this.#failed(thrown)
        return
      }
      this.#options.onFailure(thrown)
      this.#options.timers.after(RETRY_MS, () => {
        if (!this.#stopped && !controller.signal.aborted) void this.#execute(effect, controller)
        else this.#running.delete(effect.id)
      })
    }
  }

  #finishIfDone(): void {
    if (!this.#terminal || this.#stopped || this.#turning || this.#running.size > 0 || this.#reports.length > 0) return
    this.stop(false)
    this.#options.onDone('ended')
  }
}

/** As `fetch` and others know it: a reason without a name would pass for an unknown error. */
function stopReason(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
