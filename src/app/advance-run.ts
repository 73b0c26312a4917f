/**
 * advance: the only writer of a run's log. It takes the inbox, folds, decides, and appends by compare-and-set; who
 * loses folds again and decides again. Effects are handed back only after the commit (protocol, P-06 … P-14).
 */
import { fail, KeelsonError } from '../core/problems/problem.ts'
import { openEffects } from '../core/run/open-effects.ts'
import type { Effect } from '../core/run/effect.ts'
import type { InputBody } from '../core/run/input.ts'
import { summaryOf } from '../core/run/summary.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import { isoFromMs } from '../core/time.ts'
import type { AdvanceReport, EffectReport } from '../ports/engine.ts'
import type { CommitResult, RunCommit, RunKey } from '../ports/run-store.ts'
import {
  endOf,
  engineOf,
  handedOver,
  handoffInput,
  isBare,
  type AdvanceRequest,
  type Done,
  type Turn,
} from './advance-turn.ts'
import { ASK_AGAIN_MS, type Diverted } from './commit-fail-open.ts'
import { CommitDoubts } from './commit-doubts.ts'
import { CommitQueue } from './commit-queue.ts'
import { childEndNotice, childReport } from './child-end.ts'
import { DecisionRound } from './decision-round.ts'
import { fireTimers, startWhenDue } from './due-timers.ts'
import { failAlteredRun } from './fail-altered-run.ts'
import { inboxInput } from './inbox-input.ts'
import { PlanShelf } from './load-plan.ts'
import { keepSnapshot } from './keep-snapshot.ts'
import { loadRun, type LoadedRun } from './load-run.ts'
import { prepareOutcome } from './prepare-outcome.ts'
import { reportLetter } from './report-letter.ts'
import { RunGrants } from './run-grants.ts'
import { RunTimes } from './run-times.ts'
import { scopePauseFor } from './scope-pauses.ts'
import { sealEvents } from './seal-events.ts'
import { brokenBy, setAside } from './set-aside.ts'
import type { Services } from './services.ts'

/** Losing this often in a row means the store does not hold its promise. */
const LOSSES_MAX = 100

export class RunAdvancer {
  readonly #services: Services
  readonly plans: PlanShelf
  readonly queue: CommitQueue
  readonly #loaded = new Map<RunKey, LoadedRun>()
  readonly #turns = new Map<RunKey, Promise<unknown>>()
  /** Of runs whose plan wants grants; dropped with the fold. */
  readonly #grants = new Map<RunKey, RunGrants>()
  /** The epoch this process drives each run under; a run whose row has moved on is no longer ours (I9). */
  readonly #epochs = new Map<RunKey, number>()
  readonly #doubts = new CommitDoubts()
  readonly #times: RunTimes

  constructor(services: Services) {
    this.#services = services
    this.#times = new RunTimes(services.clock)
    this.plans = new PlanShelf(services.store)
    this.queue = new CommitQueue(services.store, services.timers, services.writeLatencyBudgetMs)
  }

  /** One at a time per run; the next turn starts when this one is committed or has failed. */
  advance(runKey: RunKey, request: AdvanceRequest = {}): Promise<AdvanceReport> {
    const before = this.#turns.get(runKey) ?? Promise.resolve()
    const turn = before.then(() => this.#advance(runKey, request))
    const settled = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#turns.get(runKey) === settled) this.#turns.delete(runKey)
      })
    this.#turns.set(runKey, settled)
    return turn
  }

  /** The fold at hand, read from the log when there is none. For executors and views; never for writing. */
  async current(runKey: RunKey): Promise<LoadedRun> {
    return this.#loaded.get(runKey) ?? loadRun(this.#services.store, this.plans, runKey)
  }

  /** The log reaches at least there: a fold that does not is old (another worker of the run's engine wrote since). */
  see(runKey: RunKey, headSeq: number): void {
    const known = this.#loaded.get(runKey)
    if (known !== undefined && known.nextSeq - 1 < headSeq) this.forget(runKey)
  }

  /** This process created the run and drives it under its first epoch. */
  own(runKey: RunKey, run: LoadedRun): void {
    // While its creation was on the way, a sweep of this very process may have adopted it: that is the later word.
    if (this.#epochs.has(runKey) || this.#turns.has(runKey)) return
    this.#loaded.set(runKey, run)
    this.#epochs.set(runKey, run.epoch)
    this.#times.moment(runKey, run.state)
  }

  forget(runKey: RunKey): void {
    // It holds what the log does not have yet: it goes when that is written, or dropped.
    if (this.#services.failOpen?.isAhead(runKey) === true) return
    this.#loaded.delete(runKey)
    this.#grants.delete(runKey)
  }

  /** The run has ended or is somebody else's: nothing of it is kept. */
  release(runKey: RunKey): void {
    this.#loaded.delete(runKey)
    this.#grants.delete(runKey)
    this.#epochs.delete(runKey)
    this.#doubts.release(runKey)
  }

  #end(runKey: RunKey): void {
    this.release(runKey)
    this.#times.forget(runKey)
  }

  /** One append after another until every report is taken in: an append holds 500 events at most (P-11). */
  async #advance(runKey: RunKey, request: AdvanceRequest): Promise<AdvanceReport> {
    const effects: Effect[] = []
    let rest = request
    for (let losses = 0; losses < LOSSES_MAX;) {
      const done = await this.#attempt(runKey, rest)
      if (done === 'lost') {
        losses += 1
        this.forget(runKey)
        rest = await this.#leaveLetters(runKey, rest)
        continue
      }
      effects.push(...done.report.effects)
      if (done.left.length === 0) return { ...done.report, effects }
      const { adopt: _adopt, handoff: _handoff, inputs: _inputs, ...later } = rest
      rest = { ...later, reports: done.left }
    }
    return fail('STORE_UNAVAILABLE', `run ${runKey} lost its compare-and-set ${LOSSES_MAX} times in a row`)
  }

  /** Who lost leaves its outcomes in the inbox for whoever wins, unless the run is somebody else's by now (P-12, I9). */
  async #leaveLetters(runKey: RunKey, request: AdvanceRequest): Promise<AdvanceRequest> {
    const { store } = this.#services
    if (request.adopt === true || request.reports === undefined || request.reports.length === 0) return request
    const row = await store.getRun(runKey)
    if (row === undefined || row.epoch !== this.#epochs.get(runKey) || isTerminalRun(row.status)) return request
    const left: EffectReport[] = []
    for (const report of request.reports) {
      const letter = reportLetter(report)
      if (letter === undefined) left.push(report)
      else await store.insertInbox(row, letter)
    }
    return { ...request, reports: left }
  }

  async #attempt(runKey: RunKey, request: AdvanceRequest): Promise<Done | 'lost'> {
    const down = this.#services.failOpen === undefined ? undefined : await this.#reconcile(runKey, request)
    try {
      const run = await this.#load(runKey, request)
      const grants = await this.#grantsOf(run)
      let turn = await this.#decideInTime(run, request, grants, down)
      let answer = await this.#commit(run, turn)
      // Each refusal leaves fewer slots to try, so this ends.
      for (; answer === 'ungranted'; answer = await this.#commit(run, turn))
        turn = await this.#decideAll(run, request, grants)
      if (answer === 'lost') return 'lost'
      const report = this.#report(run, turn, request.adopt === true || request.open === true)
      if (report.terminal) this.#end(runKey)
      return { report, left: turn.left }
    } catch (thrown) {
      this.forget(runKey)
      if (thrown instanceof KeelsonError && thrown.code === 'RUN_EPOCH_STALE') this.release(runKey)
      else this.#doubts.failed(runKey)
      if (await failAlteredRun(this.#services, this.queue, runKey, thrown)) this.release(runKey)
      const code = brokenBy(thrown)
      if (code !== undefined) {
        this.release(runKey)
        await setAside({ store: this.#services.store, plans: this.plans }, runKey, code, thrown)
      }
      throw thrown
    }
  }

  /** Intents in the local buffer enter the log before anything else does (LAT-02). The problem, when they still cannot. */
  async #reconcile(runKey: RunKey, request: AdvanceRequest): Promise<KeelsonError | undefined> {
    const late = await this.#services.failOpen?.reconcile(runKey, this.queue)
    if (late === undefined || late.kind === 'clear') return undefined
    if (late.kind === 'down') {
      if (!isBare(request) || !this.#loaded.has(runKey)) throw late.problem
      return late.problem
    }
    this.forget(runKey)
    this.#doubts.failed(runKey)
    return undefined
  }

  /** A bare wake-up that the store does not answer is decided on what is known here, for intents and nothing else (P-13). */
  #decideInTime(
    run: LoadedRun,
    request: AdvanceRequest,
    grants: RunGrants | undefined,
    down: KeelsonError | undefined,
  ): Promise<Turn> {
    const { failOpen } = this.#services
    if (failOpen === undefined || !run.state.intentLate || grants !== undefined || !isBare(request))
      return this.#decideAll(run, request, grants)
    return failOpen.decide(down, (blind) => this.#decideAll(run, request, undefined, blind))
  }

  async #load(runKey: RunKey, request: AdvanceRequest): Promise<LoadedRun> {
    const adopting = request.adopt === true || request.handoff !== undefined
    // Whoever was told of a later epoch knows more than this process: what it holds of the run is old.
    if (request.epoch !== undefined && (this.#epochs.get(runKey) ?? request.epoch) < request.epoch) this.release(runKey)
    const known = this.#loaded.get(runKey)
    const run = known ?? (await loadRun(this.#services.store, this.plans, runKey))
    if (known === undefined) this.#doubts.reloaded(runKey)
    const owned = request.epoch ?? this.#epochs.get(runKey)
    // An ended run is nobody's to drive: whoever comes may add what may follow its end (P-48).
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

  async #grantsOf(run: LoadedRun): Promise<RunGrants | undefined> {
    if (!run.plan.graph.anyWants || isTerminalRun(run.state.status)) return undefined
    const { runKey } = run.row
    const known = this.#grants.get(runKey)
    if (known !== undefined) return known
    const loaded = await RunGrants.load(this.#services.store, runKey, run.plan.graph)
    this.#grants.set(runKey, loaded)
    return loaded
  }

  async #decideAll(
    run: LoadedRun,
    request: AdvanceRequest,
    grants: RunGrants | undefined,
    blind?: KeelsonError,
  ): Promise<Turn> {
    const { store } = this.#services
    const { runKey } = run.row
    const at = this.#times.moment(runKey, run.state)
    const wall = at.now - at.lead
    const isTaken = request.adopt === true || request.handoff !== undefined
    const epoch = isTaken ? run.epoch + 1 : run.epoch
    grants?.mayFree(request.reports ?? [], run.state)
    const round = new DecisionRound(store, run, at, epoch, grants?.atHand(wall))
    const consumed: { inboxId: string; seq: number }[] = []
    if (request.handoff !== undefined) await round.take(handoffInput(run, request.handoff))
    if (isTaken) await round.take({ kind: 'adopt', claims: await store.readClaims(runKey) })
    // Asked for at once: a store that is far away answers both in one round trip.
    const asked = () => Promise.all([scopePauseFor(store, run.identity, run.state), store.readInbox(runKey)])
    const [paused, letters] = blind === undefined ? await asked() : [undefined, []]
    if (paused !== undefined) await round.take(paused)
    for (const input of request.inputs ?? []) await round.take(input)
    const left = [...(request.reports ?? [])]
    for (let report = left[0]; report !== undefined && !round.isFull; report = left[0]) {
      await this.#takeReport(run, round, report)
      left.shift()
    }
    for (const row of letters) {
      if (round.isFull) break
      consumed.push({ inboxId: row.inboxId, seq: round.nextSeq })
      const one = inboxInput(row)
      if (one.kind === 'input' && one.input.kind === 'grant') {
        grants?.offered(one.input.slot)
        round.grants = grants?.atHand(wall)
      }
      if (one.kind === 'input') await round.take(one.input)
      else if (one.kind === 'report') await this.#takeReport(run, round, one.report)
      else if (one.kind === 'child')
        await this.#takeReport(run, round, await childReport(store, one.body), one.body.childRunId)
    }
    const { startAs } = request
    await startWhenDue(store, run, round, {
      intentLate: this.#services.failOpen !== undefined,
      ...(startAs === undefined ? {} : { startAs }),
    })
    await fireTimers(round, grants?.isWaiting === true)
    const rest = { kind: 'continue', cause: `cut:${round.firstSeq}`, facts: new Map() } as const
    if (round.drafts.length === 0 || round.cut) await round.take(rest)
    if (grants?.isLifted(round.state) === true) {
      round.grants = grants.atHand(wall, round.state)
      await round.take(rest)
    }
    return { round, consumed, left, grants, blind, ...engineOf(round, request), ...handedOver(run, request, epoch) }
  }

  async #takeReport(run: LoadedRun, round: DecisionRound, report: EffectReport, childRunId?: string): Promise<void> {
    const { store, handlers } = this.#services
    const prepared = await prepareOutcome(report, {
      store,
      run,
      state: round.state,
      seq: run.nextSeq - 1,
      pending: round.pending,
      buildId: handlers.buildId,
    })
    const stale = report.epoch !== undefined && report.epoch < round.epoch
    const outcome = stale ? { ...prepared.input, stale } : prepared.input
    const input: InputBody = childRunId === undefined ? outcome : { ...prepared.input, kind: 'child', childRunId }
    await round.take(input, prepared)
  }

  async #commit(run: LoadedRun, turn: Turn): Promise<'committed' | 'lost' | 'ungranted'> {
    const { round, consumed, grants } = turn
    const epochChanged = round.epoch !== run.epoch
    const drafts = round.drafts.map(({ draft }) => draft)
    const parts = grants?.commitParts(drafts, round.state) ?? {}
    if (round.drafts.length === 0 && consumed.length === 0 && !epochChanged && parts.waits === undefined) {
      if (turn.blind !== undefined) throw turn.blind
      // The turn is over all the same: what was refused in it may be tried in the next.
      grants?.committed(round.state)
      return (await this.#isCurrent(run)) ? 'committed' : 'lost'
    }
    const sealed = sealEvents({
      identity: run.identity,
      drafts: round.drafts,
      firstSeq: round.firstSeq,
      previousHash: run.headHash,
      emittedAt: isoFromMs(round.now),
      random: this.#services.random,
    })
    const ended = isTerminalRun(round.state.status) && !isTerminalRun(run.state.status)
    const commit: RunCommit = {
      runKey: run.row.runKey,
      expected: { epoch: run.epoch, nextSeq: run.nextSeq },
      ...(epochChanged ? { newEpoch: round.epoch } : {}),
      events: sealed.events,
      summary: summaryOf(round.state, round.cut, grants?.times(round.state, round), round.lead),
      consumed,
      context: round.context,
      ...(round.blobs.length === 0 ? {} : { blobs: round.blobs }),
      notify: ended ? childEndNotice(run, round) : (turn.letters ?? []),
      ...(turn.engine === undefined ? {} : { engine: turn.engine }),
      ...(turn.lease === undefined ? {} : { lease: turn.lease }),
      ...parts,
    }
    const result = await this.#write(run, turn, commit)
    if (result.kind === 'conflict') return 'lost'
    if (result.kind === 'ungranted') {
      grants?.refused(parts.claims ?? [], result.refused, round.wall)
      return 'ungranted'
    }
    grants?.committed(round.state)
    if (result.kind !== 'committed' && result.kind !== 'diverted') {
      await this.#services.store.quarantine(run.row.runKey, 'INVALID_TRANSITION')
      fail('RUN_QUARANTINED', `run ${run.row.runId} was set aside: the store refused its events (${result.kind})`)
    }
    run.state = round.state
    run.epoch = round.epoch
    run.nextSeq = round.nextSeq
    run.headHash = sealed.headHash
    run.values.take(round.values)
    this.#epochs.set(run.row.runKey, round.epoch)
    if (result.kind === 'committed' && round.drafts.length > 0) this.#doubts.moved(run.row.runKey)
    if (result.kind === 'committed') await keepSnapshot(this.#services.store, run)
    return 'committed'
  }

  #write(run: LoadedRun, { round, blind }: Turn, commit: RunCommit): Promise<CommitResult | Diverted> {
    const { failOpen } = this.#services
    if (failOpen === undefined) return this.queue.submit(commit)
    const drafts = round.drafts.map(({ draft }) => draft)
    return failOpen.submit(this.queue, { run: run.identity, state: round.state, drafts, commit }, blind)
  }

  /** Nothing to write means no compare-and-set, and without one a driver that lost its run would never learn of it (I12). */
  async #isCurrent(run: LoadedRun): Promise<boolean> {
    const row = await this.#services.store.getRun(run.row.runKey)
    return row !== undefined && row.epoch === run.epoch && row.nextSeq === run.nextSeq
  }

  #report(run: LoadedRun, { round, grants }: Turn, adopted: boolean): AdvanceReport {
    const { state, epoch } = run
    const terminal = isTerminalRun(state.status)
    const unsure = this.#doubts.tellAll(run.row.runKey)
    const { nextWakeAt, owed } = summaryOf(state, round.cut, grants?.times(state, round), round.lead)
    const isAhead = this.#services.failOpen?.isAhead(run.row.runKey) === true
    return {
      epoch,
      headSeq: run.nextSeq - 1,
      status: state.status,
      effects: adopted || unsure ? openEffects(run.plan.graph, state, epoch) : round.effects,
      ...(owed === undefined ? {} : { owed }),
      ...(grants?.freedUnits === true ? { freed: true as const } : {}),
      wakeAt: terminal ? undefined : isAhead ? round.wall + ASK_AGAIN_MS : nextWakeAt,
      terminal,
      ...endOf(round),
    }
  }
}
