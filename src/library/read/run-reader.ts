/**
 * One run as it is read: its log, its state, its tasks and the reasons for them. It needs a store and no engine, so that a command
 * which only looks loads neither; what steers a run is in RunHandle.
 */
import { explainAt } from '../../app/past/explain-at.ts'
import { runAt } from '../../app/past/state-at.ts'
import { explainSlot } from '../../app/views/explain-slot.ts'
import { lookOnce } from '../../app/views/look-once.ts'
import { listedArtifacts, type ListedArtifact } from '../../app/views/run-artifacts.ts'
import { signalDecision, signalDecisions, type SignalDecision } from '../../app/signals/signal-decision.ts'
import { planWants } from '../../app/grants/agent-pools.ts'
import { planOf } from '../../app/loaded/load-run.ts'
import type { RunTrouble } from '../../app/loaded/run-trouble.ts'
import { readRunContext } from '../../app/views/read-run-context.ts'
import { journalPage, type JournalAsked, type JournalPage } from '../../app/views/journal-page.ts'
import { journalLines } from '../../app/views/run-journal.ts'
import { projectSnapshot, readSnapshot } from '../../app/project/read-snapshot.ts'
import { relatedRuns, type RelatedRuns } from '../../app/views/related-runs.ts'
import type { OpenTask } from '../../app/steer/manual-tasks.ts'
import { chainEvidence, type ChainedEvidence } from '../../app/verify/evidence-chain.ts'
import type { TriedExpression, TriedWhere } from '../../app/past/try-expression.ts'
import type { StepDetail } from '../../app/views/step-detail.ts'
import { EVENT_FORMS, eventAs, type EventForm, type FormedEvent } from '../../core/events/event-forms.ts'
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import { keptReport, REPORT_WITHIN } from '../../core/engine/kept-report.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { needKnown } from '../../core/known-options.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { needKind, NUMBER, oneOf, SEQ, TEXT } from '../../core/option-kinds.ts'
import type { PlanSource, RunOrigin } from '../../core/run/input.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Cause } from '../../core/run/explain/explain.ts'
import type { RunSnapshot } from '../../core/view/fold/run-snapshot.ts'
import { stepOutputOf, type StepOutput } from '../../core/view/fold/step-output.ts'
import { evidenceOf } from '../../core/view/show/evidence.ts'
import type { InfrastructureReport } from '../../core/view/show/infrastructure-report.ts'
import type { JournalLine } from '../../core/view/show/journal.ts'
import type { RunStates, StateWords } from '../../core/view/show/states-as.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunContext } from '../../ports/run-context.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { JOURNAL_OPTIONS } from '../option-names.ts'
import type { ReadingParts } from '../parts.ts'
import { RunLog, type LogTail } from './run-log.ts'
import type { JournalOptions } from '../run-options.ts'
import type { GrantWait, RunBounds } from './run-bounds.ts'
import { runSnapshots } from './run-snapshots.ts'
import { endDetails, endOnRecord, type RunResult } from './run-result.ts'

export class RunReader<O = unknown> {
  readonly #parts: ReadingParts
  readonly #log: RunLog
  /** As it was when it was read for this object. */
  readonly row: RunRow

  constructor(parts: ReadingParts, row: RunRow) {
    this.#parts = parts
    this.#log = new RunLog(parts, row)
    this.row = row
  }

  get runId(): string {
    return this.row.runId
  }

  /** Has the run ended by now? */
  hasEnded(): Promise<boolean> {
    return this.#log.hasEnded()
  }

  /** Why its log cannot be used, and how far it is sound: it was archived or set aside. Undefined: it can. */
  trouble(): Promise<RunTrouble | undefined> {
    return this.#log.trouble()
  }

  /** What in its log was altered, and up to which event it is sound; undefined when nothing was. Reads the whole log. */
  damage(): Promise<{ readonly soundSeq: number; readonly what: string } | undefined> {
    return this.#log.damage()
  }

  /** The run's log, from the first event. Of a run that was set aside only what `upToSeq` names can be had: its sound part. */
  async records(afterSeq = 0, upToSeq = Infinity): Promise<readonly LogRecord[]> {
    needKind('records: the first argument', afterSeq, SEQ)
    needKind('records: the second argument', upToSeq, NUMBER)
    return this.#log.records(afterSeq, upToSeq)
  }

  /** A page of the run's log: at most `limit` events after an event. */
  async page(afterSeq: number, limit: number): Promise<readonly LogRecord[]> {
    needKind('page: the first argument', afterSeq, SEQ)
    needKind('page: the second argument', limit, SEQ)
    return this.#log.page(afterSeq, limit)
  }

  /** A page of the run's log, with the run's status and last event as they were before it was read. */
  async tail(afterSeq: number, limit: number): Promise<LogTail> {
    needKind('tail: the first argument', afterSeq, SEQ)
    needKind('tail: the second argument', limit, SEQ)
    return this.#log.tail(afterSeq, limit)
  }

  /**
   * The run's log from the first event (or after one) to its end, as it is written; ends early when Keelson closes. Of a run
   * that was set aside it gives the sound part, then throws RUN_QUARANTINED.
   */
  events(afterSeq = 0): AsyncGenerator<LogRecord, void> {
    needKind('events: its argument', afterSeq, SEQ)
    return this.#log.events(afterSeq)
  }

  /** The run's log as other programs read it: the flat contract `s0`, the nested `s1`, or `cloudevents` 1.0. */
  async recordsAs(form: EventForm, afterSeq = 0): Promise<readonly FormedEvent[]> {
    needKind('recordsAs: the form', form, oneOf(...EVENT_FORMS))
    return (await this.records(afterSeq)).map((record) => eventAs(form, record))
  }

  /** How the run and its steps stand, in the words of the project that its plan comes from. */
  async statesAs(words: StateWords): Promise<RunStates> {
    const { STATE_WORDS, statesAs } = await import('../../core/view/show/states-as.ts')
    needKind('statesAs: the words', words, oneOf(...STATE_WORDS))
    return statesAs(words, await this.snapshot())
  }

  /** What was stored at or after `from` and before `to`, by the clock of the store, for auditors and exporters. */
  async *journal(options: JournalOptions = {}): AsyncGenerator<JournalLine, void> {
    needKnown('journal', options, JOURNAL_OPTIONS)
    const { from = -Infinity, to = Infinity } = options
    await this.#log.needUsable()
    yield* journalLines(this.#parts.services.store, this.row.runKey, { fromMs: Number(from), toMs: Number(to) })
  }

  /** A page of the journal for whoever may not see everything: secrets masked, long values cut (API-16). */
  async journalPage(asked: JournalAsked): Promise<JournalPage> {
    await this.#log.needUsable()
    const { store } = this.#parts.services
    return journalPage(store, (await store.getRun(this.row.runKey)) ?? this.row, asked)
  }

  /** One entry for each attempt and each step that ended, and for the run, each with the hash of the one before it. */
  async evidence(): Promise<readonly ChainedEvidence[]> {
    return chainEvidence(evidenceOf(await this.records()))
  }

  /** How often the platform really began each attempt, for those who pay for it. Nothing is decided by it. */
  async infrastructureReport(): Promise<InfrastructureReport> {
    const { infrastructureReport } = await import('../../core/view/show/infrastructure-report.ts')
    return infrastructureReport(await this.records())
  }

  /** How a run that has ended did so. */
  async result(): Promise<RunResult<O>> {
    const { store } = this.#parts.services
    const now = await store.getRun(this.row.runKey)
    if (now === undefined || !isTerminalRun(now.status)) {
      await this.#log.needUsable()
      return fail('RUN_NOT_COMPLETED', `run ${this.runId} has not ended yet`)
    }
    const details = await endDetails(store, this.row.runKey, await endOnRecord(this.#log, this.runId))
    return { runId: this.runId, status: now.status, ...details } as RunResult<O>
  }

  async tasks(): Promise<readonly OpenTask[]> {
    const { listTasks } = await import('../../app/steer/manual-tasks.ts')
    return listTasks(this.#parts.services.store, this.#parts.keys, await this.#log.fresh())
  }

  /** The run as people see it, now or as it was after an event. */
  async snapshot(atSeq?: number): Promise<RunSnapshot> {
    if (atSeq !== undefined) needKind('snapshot: its argument', atSeq, SEQ)
    const { services, advancer } = this.#parts
    if (atSeq === undefined) await this.#log.needUsable()
    const found = await readSnapshot(services.store, advancer.plans, this.row, atSeq)
    if (!found.ok) return fail('RUN_QUARANTINED', `the log of run ${this.runId} cannot be read`)
    return found.value ?? fail('RUN_NOT_FOUND', `no run ${this.runId}`)
  }

  /** The same, projected anew from the whole log, whatever view of it is stored. */
  async projectSnapshot(): Promise<RunSnapshot> {
    const { services, advancer } = this.#parts
    await this.#log.needUsable()
    const found = await projectSnapshot(services.store, advancer.plans, this.row)
    if (!found.ok) return fail('RUN_QUARANTINED', `the log of run ${this.runId} cannot be read`)
    return found.value ?? fail('RUN_NOT_FOUND', `no run ${this.runId}`)
  }

  /** The run as people see it, now and each time it has changed, until it ends or Keelson closes. */
  snapshots(): AsyncGenerator<RunSnapshot, void> {
    return runSnapshots(this.#parts, this.#log, this.row)
  }

  /** Pointers to what its steps kept; those past their `expiresAt` are flagged. */
  async artifacts(): Promise<readonly ListedArtifact[]> {
    return listedArtifacts((await this.snapshot()).artifacts, this.#parts.services.clock.now())
  }

  /** What became of a step: its end, its artifacts, its error. Undefined until it has ended. */
  async stepOutput(stepId: string): Promise<StepOutput | undefined> {
    needKind('stepOutput: the id of a step', stepId, TEXT)
    const found = (await this.snapshot()).steps.find((step) => step.stepId === stepId)
    return stepOutputOf(found ?? fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`))
  }

  /** What an expression gives over the values on record, now or as they were after an event; as the run sees them, or as a slot does. */
  async tryExpression(expression: string, where: Partial<TriedWhere> = {}): Promise<TriedExpression> {
    needKind('tryExpression: the expression', expression, TEXT)
    await this.#log.needUsable()
    const { services, advancer } = this.#parts
    const { tryExpression } = await import('../../app/past/try-expression.ts')
    const at = { atSeq: await this.#log.headSeq(), ...where }
    return tryExpression(services.store, advancer.plans, this.row, expression, at)
  }

  /** What a step, an item (`pack[5]`) or a fallback was given, as mapped at its start, and what it gave back; now or after an event. */
  async stepDetail(slot: string, atSeq?: number): Promise<StepDetail> {
    const { services, advancer } = this.#parts
    const { stepDetail } = await import('../../app/views/step-detail.ts')
    const past = atSeq === undefined ? undefined : await runAt(services.store, advancer.plans, this.row, atSeq)
    return stepDetail(services.store, past ?? (await this.#log.fresh()), slot)
  }

  /** Metadata, variables and results of its steps so far: all of them once it has ended (CTX-06). */
  async context(): Promise<RunContext> {
    const run = await this.#log.fresh()
    return readRunContext(this.#parts.services.store, run, run.state, run.state.seq)
  }

  /** Why a step is where it is, now or as it was after an event. */
  async why(slot: string, atSeq?: number): Promise<readonly Cause[]> {
    needKind('why: the id of a step', slot, TEXT)
    if (atSeq !== undefined) needKind('why: the second argument', atSeq, SEQ)
    const { services, advancer } = this.#parts
    if (atSeq !== undefined) return explainAt(services.store, advancer.plans, this.row, slot, atSeq)
    return explainSlot(services.store, await this.#log.fresh(), slot, services.clock.now())
  }

  /** The run as it is now, for questions about many of its steps: it is folded, and what lies beside its log is read, once. */
  async look(): Promise<Pick<RunReader, 'why' | 'stepDetail'>> {
    const { services } = this.#parts
    const run = await this.#log.fresh()
    const store = lookOnce(services.store)
    return {
      why: async (slot, atSeq) =>
        atSeq === undefined ? explainSlot(store, run, slot, services.clock.now()) : this.why(slot, atSeq),
      stepDetail: async (slot) => (await import('../../app/views/step-detail.ts')).stepDetail(store, run, slot),
    }
  }

  /** What was decided on every signal that was sent to it, in order. */
  async signalDecisions(): Promise<readonly SignalDecision[]> {
    return signalDecisions(await this.#log.records())
  }

  /** What was decided on one signal, by its id or by its `policyDecisionId`; rejects with SIGNAL_NOT_FOUND where nothing was. */
  async signalDecision(id: string): Promise<SignalDecision> {
    needKind('signalDecision: the id of a signal', id, TEXT)
    return signalDecision(this.#parts.services.store, this.row, await this.#log.records(), id)
  }

  /** The plan that it was started with; undefined where it is not stored here. */
  async plan(): Promise<Plan | undefined> {
    const text = await this.#parts.services.store.getPlan(this.row.tenantId, this.row.planSha256)
    return text === undefined ? undefined : (JSON.parse(text) as Plan)
  }

  /** Slots that wait for what runs share, each with the names of the pools. */
  async grantWaits(): Promise<readonly GrantWait[]> {
    const { waits } = await this.#parts.services.store.readGrants(this.row.runKey)
    return waits.map(({ slot, wants }) => ({ slot, pools: Object.keys(planWants(wants)) }))
  }

  /** Its parent, its children, the run it undoes and the one that undid it. */
  async related(): Promise<RelatedRuns> {
    return relatedRuns(this.#parts.services.store, await this.#log.fresh())
  }

  /** The bytes that its plan was made of; undefined where they were the plan's own, or nobody had them: started by a name. */
  async planSource(): Promise<PlanSource | undefined> {
    const [first] = await this.#log.records(0, 1)
    return (first?.payload?.['origin'] as RunOrigin | undefined)?.planSource
  }

  /** What was found when its plan was held against its engine, before it started; a refused run has it too. */
  async validationReport(): Promise<ValidationReport> {
    const { plan } = await planOf(this.#parts.advancer.plans, this.row)
    return keptReport(plan, await this.#log.records(0, REPORT_WITHIN), engineTypeOf(this.row.engineType))
  }

  /** What the log fixed when the run was admitted: all it may touch, where it is locked, and what its child plans stand for. */
  async bounds(): Promise<RunBounds> {
    const { lock, children } = (await this.#log.fresh()).state
    return {
      ...(lock === undefined ? {} : { locked: lock }),
      ...(children === null || children.length === 0 ? {} : { childPlans: children }),
    }
  }
}
