/**
 * What a program holds of an open Keelson: start runs, find them, follow them, take them over, fork them, close.
 */
import { planOf } from '../../app/loaded/load-run.ts'
import type { ForkPreview } from '../../app/start/fork-run.ts'
import { KILLS_PROCESS } from '../../core/engine/last-words.ts'
import { sendEvent, type EventAnswer, type EventRequest } from '../../app/steer/send-event.ts'
import type { OpenTask } from '../../app/steer/manual-tasks.ts'
import type { ImportedLog, ImportOptions } from '../../app/import/import-log.ts'
import type { Migration } from '../../app/engines/migrate-run.ts'
import type { Principal } from '../../app/principal.ts'
import { lockFrom } from '../../app/plans/run-lock.ts'
import { startRun } from '../../app/start/start-run.ts'
import { needKnown } from '../../core/known-options.ts'
import { readOptions, type WithTexts } from '../../core/option-durations.ts'
import { needKind, TEXT } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import { isForeign, isOutside, type EngineType } from '../../core/engine/engine-type.ts'
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import type { Listener, ListenerEventName } from '../../ports/listeners.ts'
import type { ActorContext, ProviderAdapter } from '../../ports/provider-adapter.ts'
import type { ListFilter, RunRow } from '../../ports/run-store.ts'
import { OperationsByOptions, type ActingOptions, type ActorOperations } from './actor-operations.ts'
import { DrivingHere, driveStarted } from '../act/driving-here.ts'
import { noneOfDamaged } from '../read/damaged-run.ts'
import type { Startable } from '../plans/load-plan.ts'
import * as known from '../option-names.ts'
import type { Parts } from '../parts.ts'
import { forkHere, previewHere, type ForkParts } from '../act/run-forks.ts'
import { Reader } from '../read/reader.ts'
import { RunHandle } from '../act/run-handle.ts'
import { RunLimits } from '../act/run-limits.ts'
import { ScopePauses } from '../act/scope-pauses.ts'
import type {
  ForkAsked,
  ForkOptions,
  ListenOptions,
  MigrateOptions,
  StartArguments,
  StartOptions,
} from '../run-options.ts'
import { validated, type ValidateOptions } from '../plans/validate-plan.ts'
import { PlanCatalogue } from '../plans/plan-catalogue.ts'
import { keepParts } from '../services-of.ts'
import { admissionOf, RunQueue } from '../act/run-queue.ts'
import { type PublishedPlan, StartablePlans, type PlanName, type PublishOptions } from '../plans/startable-plans.ts'
import type { FeedHandler, SubscribeOptions, Subscription } from '../tell/subscription.ts'
import { Subscriptions } from '../tell/subscriptions.ts'
import type { Maintenance } from './maintenance.ts'

export class Keelson extends Reader {
  readonly #parts: Parts
  readonly #principal: Principal
  readonly #plans: StartablePlans
  readonly #here: DrivingHere
  readonly #subscriptions: Subscriptions
  readonly #operations: OperationsByOptions

  constructor(parts: Parts) {
    super(parts)
    this.#parts = parts
    this.#principal = parts.principal
    this.#plans = new StartablePlans(parts, this.#principal.tenantId)
    this.#here = new DrivingHere(parts)
    this.#subscriptions = new Subscriptions(parts)
    this.#operations = new OperationsByOptions(parts)
    keepParts(this, parts)
  }

  /**
   * Starts a run, typed by its plan; the same `requestId` or `runId` starts it once. Missing handlers are refused before
   * anything starts. A published plan is started by its name: `{ planId, planVersion?, sha256? }`.
   */
  start<I, O>(plan: Startable<I, O> | PlanName, ...given: StartArguments<I>): Promise<RunHandle<O>>
  async start(from: Startable | PlanName, input?: unknown, options: StartOptions = {}): Promise<RunHandle> {
    needKnown('start', options, known.START_OPTIONS)
    if (options.locked !== undefined) needKnown('locked', options.locked, known.LOCKED)
    const { services, advancer, engine, capabilities } = this.#parts
    const named = this.#plans.get(from)
    const plan = named instanceof Promise ? await named : named
    // What is queued may be started by a process that has other handlers; that one checks.
    if (options.queue !== true) this.#here.needHandlers(plan.plan)
    else if (isOutside(capabilities.engineType))
      fail('USAGE', `runs of ${capabilities.engineType} cannot be queued; to start one later, give notBefore`)
    const { actorId = this.#principal.actorId, replaceVersion = this.#parts.replaceVersion ?? false } = options
    const admission = admissionOf(options)
    await engine.connect?.()
    const answer = await startRun(services, advancer, {
      plan,
      replaceVersion,
      ...(input === undefined ? {} : { input }),
      principal: { ...this.#principal, actorId },
      engine: capabilities,
      triggerSource: this.#parts.triggerSource ?? 'manual',
      // Nobody drives a queued run.
      ...(options.queue === true ? {} : { lease: engine.lease() }),
      ...(admission === undefined ? {} : { admission }),
      ...(options.requestId === undefined ? {} : { runRequestId: options.requestId }),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
      ...(options.runId === undefined ? {} : { runId: options.runId }),
      ...(options.locked === undefined ? {} : { lock: lockFrom(options.locked) }),
    })
    if (answer.kind === 'started' && options.queue !== true) driveStarted(engine, answer)
    return new RunHandle(this.#parts, answer.row, answer.kind === 'exists')
  }

  /** What a start of the plan here would find of its engine, and whether it would be refused; starts nothing. */
  async validatePlan(plan: Startable | PlanName, options: ValidateOptions = {}): Promise<ValidationReport> {
    const { services, capabilities } = this.#parts
    return validated(await this.#plans.get(plan), options, capabilities.engineType, services.clock.now())
  }

  /** Limits for starts of this tenant. */
  get limits(): RunLimits {
    return new RunLimits(this.#parts, this.#principal)
  }

  /** Pauses of a whole plan or of this tenant. */
  get pauses(): ScopePauses {
    return new ScopePauses(this.#parts, this.#principal)
  }

  /** Runs that were admitted with `queue: true` and have not started. */
  get queue(): RunQueue {
    return new RunQueue(this.#parts, this.#principal, (row) => this.#here.needStartable(row))
  }

  /**
   * Publishes a plan: from now on its id, and its id with its version, lead to it, for `plan` steps and for `start`. Answers
   * its hash. Another plan under the same id and version is refused (PLAN_VERSION_EXISTS).
   */
  async publish(plan: Startable, options: PublishOptions = {}): Promise<string> {
    return (await this.planRef(plan, options)).sha256
  }

  /** A published plan by its name, and after it those it can reach: what a start of it would be held to now. */
  async published(name: PlanName): Promise<readonly PublishedPlan[]> {
    return this.#plans.reachedFrom(name)
  }

  /** Published plans: listed, read, compared. */
  get plans(): PlanCatalogue {
    return new PlanCatalogue(this.#parts)
  }

  /** Publishes a plan; answers what `as(actor).startRun` takes for it. */
  async planRef(plan: Startable, options: PublishOptions = {}): Promise<PlanRef> {
    needKnown('publish', options, known.PUBLISH_OPTIONS)
    return this.#plans.publish(plan, options)
  }

  /**
   * Acts for somebody: start by a plan's reference, cancel, status, signal, on any engine, with the rights of that person.
   * In production a plan is accepted only by reference, and nothing is simulated.
   */
  as(actor: ActorContext, options: ActingOptions = {}): ActorOperations {
    return this.#operations.of(actor, options)
  }

  /** One open engine behind the contract that every engine keeps; each call names its actor. */
  onEngine(name: EngineType): ProviderAdapter {
    return this.#operations.onEngine(name)
  }

  /** A run by its id. What its output is like, only its plan knows: say it, and it is believed. */
  override async run<O = unknown>(runId: string): Promise<RunHandle<O>> {
    return new RunHandle(this.#parts, await this.rowOf(runId))
  }

  /** Connects an outside engine and has its worker listen, before anything is started. */
  async connect(): Promise<void> {
    await this.#parts.engine.connect?.()
  }

  /** The queue of an outside engine that no worker listens to; undefined when one does, or when there are no queues. */
  async queueWithoutWorker(): Promise<string | undefined> {
    return this.#parts.engine.queueWithoutWorker()
  }

  /** Manual tasks of all runs that wait for a person, each with the token that completes it. */
  async *tasks(filter: Omit<ListFilter, 'status'> = {}): AsyncGenerator<OpenTask, void> {
    needKnown('tasks', filter, known.TASK_FILTER)
    for await (const row of this.runs({ ...filter, status: ['RUNNING', 'PAUSED'] })) {
      // Nobody can complete a task of a run that was set aside; those of others are shown all the same.
      if (row.quarantine === undefined && !isForeign(row)) yield* await this.#tasksOf(row).catch(noneOfDamaged)
    }
  }

  /** The log of a run whose plan asks nobody is not read. */
  async #tasksOf(row: RunRow): Promise<readonly OpenTask[]> {
    const { graph } = await planOf(this.#parts.advancer.plans, row)
    return graph.kinds.includes('manual') ? new RunHandle(this.#parts, row).tasks() : []
  }

  /** Sends an event to steps of this tenant's runs that wait for its name and key, now or while it is kept; once per `id`. */
  async send(event: WithTexts<EventRequest>): Promise<EventAnswer> {
    return sendEvent(
      this.#parts,
      this.#principal.tenantId,
      readOptions<EventRequest>('send', event, known.EVENT_REQUEST),
    )
  }

  /** Takes over a run whose driver is gone. A run whose handlers this process lacks is left alone. */
  async adopt(runId: string): Promise<RunHandle> {
    const handle = await this.run(runId)
    await this.#here.adopt(handle.row)
    return handle
  }

  /** Takes back that a run was set aside because processes died of it; false when it was not. It is then to be adopted. */
  async readmit(runId: string): Promise<boolean> {
    const { row } = await this.run(runId)
    return this.#parts.services.store.liftQuarantine(row.runKey, KILLS_PROCESS)
  }

  /**
   * Moves a live run to another engine: it is paused, its steps at work come to their end, the hand-off enters the log, and
   * it goes on there. Refuses, and lifts the pause again, when they are not done in time; unless it is forced.
   */
  async migrate(runId: string, asked: WithTexts<MigrateOptions>): Promise<Migration> {
    const options = readOptions<MigrateOptions>('migrate', asked, known.MIGRATE_OPTIONS)
    const { row } = await this.run(runId)
    return this.#here.migrate(row, options)
  }

  /**
   * A new run from an ended one's results; with the id of a RETRY_RUN, once for that signal (SIG-07). Of a run that was queued to
   * wait for a person's approval the fork waits for one again (PENDING), see `previewFork`. With another `input` or `plan`, what
   * these change is done again.
   */
  async fork(runId: string, asked: ForkAsked = {}): Promise<RunHandle> {
    needKnown('fork', asked, known.FORK_OPTIONS)
    const { row } = await this.run(runId)
    return forkHere(this.#forkParts, row, asked)
  }

  /** What `fork` would take over and do again, and which effects that would repeat. Starts nothing. */
  async previewFork(runId: string, options: ForkOptions = {}): Promise<ForkPreview> {
    needKnown('previewFork', options, known.PREVIEW_OPTIONS)
    const { row } = await this.run(runId)
    return previewHere(this.#forkParts, row, options)
  }

  get #forkParts(): ForkParts {
    return { parts: this.#parts, principal: this.#principal, plans: this.#plans, here: this.#here }
  }

  /** Takes in the log of a run made elsewhere: JSON lines of S0, S1, CloudEvents 1.0 or our own. Refused whole; again adds nothing. */
  async importLog(text: string, options: ImportOptions = {}): Promise<ImportedLog> {
    needKnown('importLog', options, known.IMPORT_OPTIONS)
    needKind('importLog: the log', text, TEXT)
    const { importLog } = await import('../../app/import/import-log.ts')
    const { store, random } = this.#parts.services
    return importLog({ store, random, principal: this.#principal }, text, options)
  }

  /** Receipts, verification, erasure, archival, backup. */
  get maintenance(): Maintenance {
    return this.#parts.maintenance ?? fail('STORE_NOT_FOUND', 'a store in memory keeps nothing')
  }

  /** Calls the handler at each such event of runs driven here, of this tenant or `allTenants`. Returns an unsubscribe function. */
  on<N extends ListenerEventName>(name: N, handler: Listener<N>, options: ListenOptions = {}): () => void {
    needKnown('on', options, known.LISTEN_OPTIONS)
    return this.#parts.listeners.on(name, handler, options.allTenants === true ? undefined : this.#principal.tenantId)
  }

  /** For metrics: each step that came to its end, once. A handler that throws breaks nothing. */
  onStepCompleted(handler: Listener<'step.completed'>, options: ListenOptions = {}): () => void {
    return this.on('step.completed', handler, options)
  }

  /**
   * Calls the handler for every event of every run of this tenant, at least once and in order per run, whoever drives it.
   * The place in the log is kept under `name`: what was recorded meanwhile comes first. It ends with `close`.
   */
  subscribe(name: string, handler: FeedHandler, asked: WithTexts<SubscribeOptions> = {}): Subscription {
    const options = readOptions<SubscribeOptions>('subscribe', asked, known.SUBSCRIBE_OPTIONS)
    return this.#subscriptions.open(name, handler, options)
  }

  override async close(): Promise<void> {
    await this.#parts.engine.stop()
    this.#parts.guard?.close()
    this.#parts.moves.close()
    await this.#subscriptions.stop()
    await this.#parts.listeners.flush()
    await this.#parts.projectors.close()
    await this.#parts.alerts?.close()
    await this.#parts.receipts?.stop()
    await this.#parts.services.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
