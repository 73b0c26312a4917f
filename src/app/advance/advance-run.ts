/**
 * advance: the only writer of a run's log. It takes the inbox, folds, decides, and appends by compare-and-set; who
 * loses folds again and decides again. Effects are handed back only after the commit (protocol, P-06 … P-14).
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { openEffects } from '../../core/run/open-effects.ts'
import type { Effect } from '../../core/run/effect.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { TurnResult, EffectOutcome, WrittenEvent } from '../../ports/engine.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { ASK_AGAIN_MS } from '../commit/fail-open.ts'
import { CommitQueue } from '../commit/queue.ts'
import { noting } from '../deaths/last-words.ts'
import { startClaimOf, type StartClaim } from '../admission/start-claim.ts'
import { stepClaims } from '../grants/run-grants.ts'
import { reportInboxRow } from '../inbox/report-inbox-row.ts'
import { readSeen, UNREAD, type Seen } from '../inbox/seen.ts'
import { isCheckpointDue, keepCheckpoint } from '../loaded/keep-checkpoint.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { brokenBy, setAside } from '../loaded/set-aside.ts'
import { PlanShelf } from '../plans/load.ts'
import type { Services } from '../services.ts'
import { commitTurn } from './commit-turn.ts'
import { decideTurn, type TurnMeans } from './decide-turn.ts'
import { failAlteredRun } from './fail-altered-run.ts'
import { HeldRuns } from './held-runs.ts'
import { decidedTurn, goOn, isEmpty } from './turn-commit.ts'
import { reportOf } from './turn-report.ts'
import { isBare, isCurrent, mayStayUnread, type AdvanceRequest, type AdvanceTurn, type Done } from './turn.ts'

/** A run that loses this often in a row has a store that breaks its promise. */
const LOSSES_MAX = 100

/** A commit that succeeded, or that was not needed. */
interface Written {
  readonly written: readonly WrittenEvent[]
}

const NOTHING_WRITTEN: Written = { written: [] }

function isWritten(answer: Written | 'lost' | 'ungranted' | Seen): answer is Written {
  return typeof answer === 'object' && 'written' in answer
}

export class RunAdvancer {
  readonly #services: Services
  readonly plans: PlanShelf
  readonly queue: CommitQueue
  readonly #turns = new Map<RunKey, Promise<unknown>>()
  readonly #held: HeldRuns

  constructor(services: Services) {
    this.#services = services
    this.plans = new PlanShelf(services.store)
    const { store, timers, writeLatencyBudgetMs, clock, onWritten } = services
    const watch = onWritten === undefined ? undefined : { clock, onWritten }
    this.queue = new CommitQueue(store, timers, writeLatencyBudgetMs, watch)
    this.#held = new HeldRuns(services, this.plans)
  }

  /** One at a time per run; the next turn starts when this one is committed or has failed. */
  advance(runKey: RunKey, request: AdvanceRequest = {}): Promise<TurnResult> {
    const before = this.#turns.get(runKey) ?? Promise.resolve()
    const turn = before.then(() => this.#advance(runKey, request))
    const settle = (): void => {
      if (this.#turns.get(runKey) === settled) this.#turns.delete(runKey)
    }
    const settled = turn.then(settle, settle)
    this.#turns.set(runKey, settled)
    return turn
  }

  /** The fold at hand, if there is one; never for writing. */
  atHand(runKey: RunKey): LoadedRun | undefined {
    return this.#held.atHand(runKey)
  }

  /** The fold at hand, read from the log when there is none. For executors and views; never for writing. */
  current(runKey: RunKey): Promise<LoadedRun> {
    return this.#held.current(runKey)
  }

  /** The log reaches at least there: a fold that does not is old. */
  see(runKey: RunKey, headSeq: number): void {
    this.#held.see(runKey, headSeq)
  }

  /** This process created the run and drives it under its first epoch. */
  own(runKey: RunKey, run: LoadedRun): void {
    // While the run was being created, this process may have adopted it in a sweep: then that epoch is the newer one.
    if (!this.#turns.has(runKey)) this.#held.own(runKey, run)
  }

  forget(runKey: RunKey): void {
    this.#held.forget(runKey)
  }

  /** Another process drives the run: nothing of it is kept here. */
  release(runKey: RunKey): void {
    this.#held.release(runKey)
  }

  /** One append after another until every report is taken in: an append holds 500 events at most (P-11). */
  async #advance(runKey: RunKey, request: AdvanceRequest): Promise<TurnResult> {
    const effects: Effect[] = []
    const written: WrittenEvent[] = []
    let rest = request
    for (let losses = 0; losses < LOSSES_MAX;) {
      const done = await this.#attempt(runKey, rest)
      if (done === 'lost') {
        losses += 1
        this.forget(runKey)
        rest = await this.#leaveInboxRows(runKey, rest)
        continue
      }
      appendAll(effects, done.report.effects)
      appendAll(written, done.report.written ?? [])
      if (done.left.length === 0) return { ...done.report, effects, written }
      const { adopt: _adopt, handoff: _handoff, inputs: _inputs, ...later } = rest
      rest = { ...later, reports: done.left }
    }
    return fail(
      'STORE_UNAVAILABLE',
      `run ${runKey} could not be written: another process wrote first, ${LOSSES_MAX} times in a row`,
    )
  }

  /** A driver that lost leaves its outcomes in the inbox for the winner, unless another process drives the run by now (P-12). */
  async #leaveInboxRows(runKey: RunKey, request: AdvanceRequest): Promise<AdvanceRequest> {
    const { store } = this.#services
    if (request.adopt === true || request.reports === undefined || request.reports.length === 0) return request
    const row = await store.getRun(runKey)
    if (row === undefined || row.epoch !== this.#held.epochOf(runKey) || isTerminalRun(row.status)) return request
    const left: EffectOutcome[] = []
    for (const report of request.reports) {
      const inboxRow = reportInboxRow(report)
      if (inboxRow === undefined) left.push(report)
      else await store.insertInbox(row, inboxRow)
    }
    return { ...request, reports: left }
  }

  async #attempt(runKey: RunKey, request: AdvanceRequest): Promise<Done | 'lost'> {
    const down = this.#services.failOpen === undefined ? undefined : await this.#reconcile(runKey, request)
    try {
      const loading = this.#held.load(runKey, request)
      const run = loading instanceof Promise ? await loading : loading
      const grants = run.plan.graph.anyWants ? await this.#held.grantsOf(run) : undefined
      const claiming = startClaimOf(this.#services, run)
      const start = claiming instanceof Promise ? await claiming : claiming
      const noted = (decide: () => Promise<AdvanceTurn>): Promise<AdvanceTurn> =>
        noting(this.#services, run.row, 'deciding', decide)
      let turn = await noted(() => this.#decideInTime(run, request, { grants, start }, down))
      let answer = await this.#commit(run, turn, start)
      // What was unread is read then, and each refused grant leaves fewer slots to try: so this ends.
      while (!isWritten(answer)) {
        if (answer === 'lost') return 'lost'
        const means = { grants, start, ...(answer === 'ungranted' ? {} : { seen: answer }) }
        turn = await noted(() => this.#decide(run, request, means))
        answer = await this.#commit(run, turn, start)
      }
      const isOpened = request.adopt === true || request.open === true
      const told = { ...this.#report(run, turn, isOpened), written: answer.written }
      const report = told.end !== undefined && start.isLimited ? { ...told, freed: true as const } : told
      if (report.terminal) this.#held.end(runKey)
      return { report, left: turn.left }
    } catch (thrown) {
      const report = await this.#failed(runKey, thrown)
      if (report === undefined) throw thrown
      return { report, left: [] }
    }
  }

  /** What became of the run, if the failure ended it. */
  async #failed(runKey: RunKey, thrown: unknown): Promise<TurnResult | undefined> {
    this.forget(runKey)
    if (thrown instanceof KeelsonError && thrown.code === 'RUN_EPOCH_STALE') this.release(runKey)
    else this.#held.doubts.failed(runKey)
    const ended = await failAlteredRun(this.#services, this.queue, runKey, thrown)
    if (ended !== undefined) this.release(runKey)
    const code = brokenBy(thrown)
    if (code === undefined) return ended
    this.release(runKey)
    await setAside({ store: this.#services.store, plans: this.plans }, runKey, code, thrown)
    return undefined
  }

  /** Intents in the local buffer enter the log before anything else does (LAT-02). The problem, when they still cannot. */
  async #reconcile(runKey: RunKey, request: AdvanceRequest): Promise<KeelsonError | undefined> {
    const late = await this.#services.failOpen?.reconcile(runKey, this.queue)
    if (late === undefined || late.kind === 'clear') return undefined
    if (late.kind === 'down') {
      if (!isBare(request) || !this.#held.has(runKey)) throw late.problem
      return late.problem
    }
    this.forget(runKey)
    this.#held.doubts.failed(runKey)
    return undefined
  }

  /** A bare wake-up that the store does not answer is decided on what is known here, for intents and nothing else (P-13). */
  #decideInTime(
    run: LoadedRun,
    request: AdvanceRequest,
    { grants, start }: Pick<TurnMeans, 'grants' | 'start'>,
    down: KeelsonError | undefined,
  ): Promise<AdvanceTurn> {
    const { failOpen } = this.#services
    if (mayStayUnread(this.#services, run, request, grants))
      return this.#decide(run, request, { grants, start, seen: UNREAD })
    if (failOpen === undefined || !run.state.intentLate || grants !== undefined || !isBare(request))
      return this.#decide(run, request, { grants, start })
    return failOpen.decide(down, (blind) => this.#decide(run, request, { grants: undefined, start, blind }))
  }

  #decide(run: LoadedRun, request: AdvanceRequest, means: Omit<TurnMeans, 'services' | 'at'>): Promise<AdvanceTurn> {
    return decideTurn(run, request, { services: this.#services, at: this.#held.moment(run), ...means })
  }

  /** What there was to read, where the turn was decided without it (P-53). */
  async #commit(run: LoadedRun, turn: AdvanceTurn, start: StartClaim): Promise<Written | 'lost' | 'ungranted' | Seen> {
    const { round, grants } = turn
    const { store } = this.#services
    const drafts = round.drafts.map(({ draft }) => draft)
    const parts = start.commitParts(grants?.commitParts(drafts, round.state) ?? {}, drafts, round.state)
    if (isEmpty(run, turn, parts)) {
      if (turn.blind !== undefined) throw turn.blind
      if (turn.unread === true) return readSeen(store, run)
      // The turn is over: what was refused in it may be tried in the next turn.
      grants?.committed(round.state)
      return (await isCurrent(store, run)) ? NOTHING_WRITTEN : 'lost'
    }
    const decided = decidedTurn(run, turn, parts)
    const committed = await commitTurn(this.#services, this.queue, run, decided)
    const { result, written } = committed
    if (result.kind === 'conflict') return 'lost'
    if (result.kind === 'unread') return result
    if (result.kind === 'ungranted') {
      start.refused(result.refused)
      grants?.refused(stepClaims(parts.claims), result.refused, round.wall)
      return 'ungranted'
    }
    grants?.committed(round.state)
    if (result.kind !== 'committed' && result.kind !== 'diverted') {
      await store.quarantine(run.row.runKey, 'INVALID_TRANSITION')
      fail('RUN_QUARANTINED', `run ${run.row.runId} was set aside: the store refused its events (${result.kind})`)
    }
    goOn(run, turn, committed, decided)
    this.#held.drivenUnder(run.row.runKey, round.epoch)
    if (result.kind === 'committed' && round.drafts.length > 0) this.#held.doubts.moved(run.row.runKey)
    if (result.kind === 'committed' && isCheckpointDue(run)) void keepCheckpoint(store, run)
    // What was diverted enters the log later, with other bytes.
    return result.kind === 'committed' ? { written } : NOTHING_WRITTEN
  }

  #report(run: LoadedRun, turn: AdvanceTurn, adopted: boolean): TurnResult {
    const { runKey } = run.row
    const unsure = this.#held.doubts.tellAll(runKey)
    const effects = adopted || unsure ? openEffects(run.plan.graph, run.state, run.epoch) : turn.round.effects
    const report = reportOf(run, turn, effects)
    const isAhead = this.#services.failOpen?.isAhead(runKey) === true
    return isAhead && !report.terminal ? { ...report, wakeAt: turn.round.wall + ASK_AGAIN_MS } : report
  }
}
