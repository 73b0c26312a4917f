/**
 * Follows the runs this process drives, beside them: no run waits for it, and it reads only what was committed. It keeps the
 * views of long runs in the store; where somebody listens to alerts, it projects every run for them. Of runs that others drive it
 * hears by the feed of the store, where it was given one: only those that moved are looked at, however many there are.
 */
import { metaOrBare } from '../../app/project/run-alerts.ts'
import { openProjector, type RunProjector } from '../../app/project/project-run.ts'
import { keepView } from '../../app/project/read-view.ts'
import type { PlanShelf } from '../../app/plans/load.ts'
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import { LIMITS } from '../../core/limits.ts'
import { unwrap } from '../../core/result.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import type { ViewAlert } from '../../core/view/fold/view-alert.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import type { Timers } from '../../ports/timers.ts'
import type { MoveWatch } from '../../app/feed/watch-moves.ts'
import type { AlertTeller } from './alert-teller.ts'

export interface ProjectorsParts {
  readonly store: RunStore
  readonly clock: Clock
  readonly plans: PlanShelf
  readonly timers: Timers
  /** Absent: nobody listens, and only views of long runs are kept. */
  readonly teller?: AlertTeller | undefined
  /** Absent: only runs of this process are followed. */
  readonly feed?: Pick<MoveWatch, 'listen'> | undefined
  /** Under a simulated clock nothing lags: it leaps while others work. */
  readonly isSimulated: boolean
}

/** A view is to be at most one second behind (PRJ-16). */
const LISTENED_MS = 100
const KEPT_MS = 1_000
/** A run that never rests has its view kept all the same, this often. */
const LONGEST_TURNS = 10
const PROJECTORS_KEPT = 1_000
/** More than these are not remembered until the process is quiet: the next reader folds their logs. */
const RUNS_DUE = 1_000
const RUNS_KNOWN = 10_000
const ALERTS_KNOWN = 10_000

interface Due {
  headSeq: number
  hasMoved: boolean
  hasEnded: boolean
  turns: number
}

export class Projectors {
  readonly #parts: ProjectorsParts
  readonly #due = new Map<RunKey, Due>()
  readonly #open = new BoundedCache<RunKey, RunProjector>(PROJECTORS_KEPT)
  /** Where the newest stored view of a run ends. */
  readonly #keptSeq = new BoundedCache<RunKey, number>(RUNS_KNOWN)
  readonly #told = new BoundedCache<string, true>(ALERTS_KNOWN)
  #cancel: (() => void) | undefined
  #turn: Promise<void> = Promise.resolve()
  #isClosed = false
  /** A run moved since the last look. */
  #isBusy = false

  readonly #leaveFeed: (() => void) | undefined

  constructor(parts: ProjectorsParts) {
    this.#parts = parts
    this.#leaveFeed = parts.feed?.listen({
      moved: (runs) => {
        for (const { runKey, lastEventSeq, status } of runs) this.moved(runKey, { headSeq: lastEventSeq, status })
      },
      // It goes on where the feed stands now: what is not told by itself is still in the logs.
      lost: () => undefined,
    })
  }

  /** A run has moved on. Costs a comparison where nobody listens and the run is short. */
  moved(runKey: RunKey, { headSeq, status }: Pick<TurnResult, 'headSeq' | 'status'>): void {
    if (this.#isClosed) return
    this.#isBusy = true
    const isListened = this.#parts.teller !== undefined
    if (!isListened && headSeq < LIMITS.checkpointEveryEvents) return
    if (!isListened && headSeq - (this.#keptSeq.get(runKey) ?? 0) < LIMITS.checkpointEveryEvents) return
    const due = this.#due.get(runKey) ?? { headSeq, hasMoved: true, hasEnded: false, turns: 0 }
    due.headSeq = headSeq
    due.hasMoved = true
    due.hasEnded = isTerminalRun(status)
    this.#due.set(runKey, due)
    const [oldest] = this.#due.keys()
    if (!isListened && this.#due.size > RUNS_DUE && oldest !== undefined) this.#due.delete(oldest)
    this.#arm()
  }

  /** Events that stored views are behind, over the runs that wait to be projected. */
  behindEvents(): number {
    let events = 0
    for (const [runKey, { headSeq }] of this.#due) events += Math.max(0, headSeq - (this.#keptSeq.get(runKey) ?? 0))
    return events
  }

  /** Tells what is left to tell. Views that nobody waits for are left to the next process. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#leaveFeed?.()
    this.#cancel?.()
    await this.#turn
    if (this.#parts.teller !== undefined) await this.#work([...this.#due])
    this.#due.clear()
  }

  #arm(): void {
    if (this.#isClosed || this.#cancel !== undefined || this.#due.size === 0) return
    this.#cancel = this.#parts.timers.after(this.#parts.teller === undefined ? KEPT_MS : LISTENED_MS, () => {
      this.#turn = this.#work(this.#ready()).finally(() => {
        this.#cancel = undefined
        this.#arm()
      })
    })
  }

  /**
   * Where nobody listens, a run at full speed is left alone until it rests, and one that has ended until the process has nothing else
   * to do: its view costs as much as its decisions did, and mostly nobody asks for it.
   */
  #ready(): readonly (readonly [RunKey, Due])[] {
    if (this.#parts.teller !== undefined) return [...this.#due]
    const isQuiet = !this.#isBusy
    this.#isBusy = false
    return [...this.#due].filter(([, due]) => {
      const isReady = due.hasEnded ? isQuiet : !due.hasMoved || due.turns >= LONGEST_TURNS
      due.hasMoved = false
      due.turns += 1
      return isReady
    })
  }

  /** One after another: what waits here is never in a hurry. */
  async #work(ready: readonly (readonly [RunKey, Due])[]): Promise<void> {
    for (const [runKey, { hasEnded }] of ready) {
      this.#due.delete(runKey)
      try {
        if (this.#parts.teller === undefined) await this.#keep(runKey)
        else await this.#follow(runKey, hasEnded, this.#parts.teller)
      } catch (thrown) {
        this.#parts.teller?.failed(thrown)
      }
    }
  }

  async #keep(runKey: RunKey): Promise<void> {
    const { store, plans } = this.#parts
    const row = await store.getRun(runKey)
    if (row === undefined) return
    const meta = await metaOrBare(plans, row)
    if (isWhole(meta)) this.#keptSeq.set(runKey, await keepView(store, runKey, meta))
  }

  async #follow(runKey: RunKey, hasEnded: boolean, teller: AlertTeller): Promise<void> {
    const known = this.#open.get(runKey)
    const projector = known ?? (await this.#openOf(runKey, teller))
    if (projector === undefined) return
    if (known === undefined) this.#open.set(runKey, projector)
    const { notBefore } = await projector.pump()
    const headSeq = projector.state().view.lastEventSeq
    this.#keptSeq.set(runKey, headSeq)
    if (notBefore > this.#parts.clock.now()) this.#due.set(runKey, { headSeq, hasMoved: true, hasEnded, turns: 0 })
    else if (hasEnded) this.#open.delete(runKey)
  }

  async #openOf(runKey: RunKey, teller: AlertTeller): Promise<RunProjector | undefined> {
    const { store, clock, plans } = this.#parts
    const row = await store.getRun(runKey)
    if (row === undefined) return undefined
    const meta = await metaOrBare(plans, row)
    const onAlert = (alert: ViewAlert): void => this.#tell(alert, teller)
    const onError = (thrown: unknown): void => teller.failed(thrown)
    const keepsViews = isWhole(meta)
    return unwrap(await openProjector({ store, clock, keepsViews, onAlert, onError }, row, meta))
  }

  /** Once, however often its event is folded here. */
  #tell(alert: ViewAlert, teller: AlertTeller): void {
    if (this.#told.get(alert.alertId) === true) return
    if (this.#parts.isSimulated && alert.code === 'PROJECTOR_LAG_HIGH') return
    this.#told.set(alert.alertId, true)
    teller.alert(alert)
  }
}

/** A view that was made without the plan would not fit a reader that has it. */
function isWhole({ edges }: RunMeta): boolean {
  return edges !== undefined
}
