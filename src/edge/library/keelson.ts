/**
 * What a program holds of an open Keelson: start runs, find them, follow them, take them over, fork them, close.
 */
import { needEngine } from '../../app/check-engine.ts'
import { checkIsolation } from '../../app/check-isolation.ts'
import { forkRun, previewFork, type ForkPreview } from '../../app/fork-run.ts'
import type { OpenTask } from '../../app/manual-tasks.ts'
import { migrateRun, type MigrateRequest, type Migration } from '../../app/migrate-run.ts'
import { needHandlers } from '../../app/missing-handlers.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../../app/principal.ts'
import { PlanFetcher, planRefOf } from '../../app/fetch-plan.ts'
import { RunOperations, type OperationsOptions } from '../../app/run-operations.ts'
import { planOfRun } from '../../app/plan-of-run.ts'
import { archivedError, needUsable } from '../../app/run-trouble.ts'
import { startRun } from '../../app/start-run.ts'
import type { Services } from '../../app/services.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { engineTypeOf, isOutside } from '../../core/run/engines.ts'
import { isTerminalRun } from '../../core/run/transitions.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { PlanRef } from '../../core/plan/plan-ref.ts'
import type { EngineCapabilities } from '../../ports/engine.ts'
import type { HookHandler, HookName } from '../../ports/hooks.ts'
import type { ListFilter, ListPage, RunRow } from '../../ports/run-store.ts'
import { LoadedPlans, type Startable } from './load-plan.ts'
import type { Parts } from './parts.ts'
import { warnOfProblem } from './receipt-service.ts'
import { RunHandle } from './run-handle.ts'
import { admissionOf, RunQueue, type AdmissionOptions } from './run-queue.ts'
import { Subscription, type FeedHandler, type SubscribeOptions } from './subscription.ts'
import type { Upkeep } from './upkeep.ts'

export interface StartOptions extends AdmissionOptions {
  /** The same id starts one run. */
  readonly requestId?: string
  /** Ties the run and its children to the request that caused them; default: the run's id. */
  readonly correlationId?: string
  /** The run's own id, where the program has one already: the same id starts one run. Default: a new UUID. */
  readonly runId?: string
  /** Who starts it, for the log and for rules such as MakerChecker. Default `local`. */
  readonly actorId?: string
}

/** The input may be left out where the plan's type asks for nothing. */
export type StartArguments<I> =
  Readonly<Record<never, never>> extends I
    ? [input?: I | undefined, options?: StartOptions]
    : [input: I, options?: StartOptions]

export interface ForkOptions {
  /** Run this step and everything after it again. */
  readonly from?: string
  /** Take over results recorded up to this seq only. */
  readonly atSeq?: number
}

export interface MigrateOptions extends Omit<MigrateRequest, 'row' | 'to' | 'actorId'> {
  readonly to: 'embedded' | 'temporal'
  /** Who moves it, for the log. Default `local`. */
  readonly actorId?: string
}

const PAGE = 500
const SHOWN = 50

export class Keelson {
  readonly #parts: Parts
  readonly #principal: Principal
  readonly #plans = new LoadedPlans()
  readonly #subscriptions = new Set<Subscription>()
  readonly #starting = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#principal = parts.principal ?? LOCAL_PRINCIPAL
  }

  get services(): Services {
    return this.#parts.services
  }

  /**
   * Starts a run, typed by its plan; the same `requestId` or `runId` starts it once. Missing handlers are refused before
   * anything starts.
   */
  start<I, O>(plan: Startable<I, O>, ...given: StartArguments<I>): Promise<RunHandle<O>>
  async start(from: Startable, input?: unknown, options: StartOptions = {}): Promise<RunHandle> {
    const { services, advancer, engine, engineType } = this.#parts
    const plan = this.#plans.get(from)
    // What is queued may be started by a process that has other handlers; that one checks.
    if (options.queue !== true) this.#needHandlers(plan.plan)
    else if (isOutside(engineType.engineType))
      fail('USAGE', `runs of ${engineType.engineType} are not queued here; give them an instant instead: notBefore`)
    const { actorId = this.#principal.actorId } = options
    const admission = admissionOf(options)
    await engine.ready?.()
    const answer = await startRun(services, advancer, {
      plan,
      ...(input === undefined ? {} : { input }),
      principal: { ...this.#principal, actorId },
      engine: engineType,
      triggerSource: 'manual',
      // Nobody drives what is queued.
      ...(options.queue === true ? {} : { lease: engine.lease() }),
      ...(admission === undefined ? {} : { admission }),
      ...(options.requestId === undefined ? {} : { runRequestId: options.requestId }),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
      ...(options.runId === undefined ? {} : { runId: options.runId }),
    })
    const handle = new RunHandle(this.#parts, answer.row, answer.kind === 'exists')
    if (answer.kind === 'started' && options.queue !== true) engine.drive(answer.row.runKey, answer.report)
    return handle
  }

  /** Runs that were admitted with `queue: true` and have not started. */
  get queue(): RunQueue {
    const { advancer, services } = this.#parts
    return new RunQueue(this.#parts, this.#principal, async ({ planSha256, engineType }) => {
      const { plan } = await advancer.plans.get(planSha256)
      needEngine(plan, engineTypeOf(engineType), services.clock.now())
      this.#needHandlers(plan)
    })
  }

  /** Stores a plan, so that `plan` steps of other plans find it by its id. Answers its hash. */
  async publish(from: Startable): Promise<string> {
    return (await this.refer(from)).sha256
  }

  /** Stores a plan; answers what `operations().startRun` takes for it. */
  async refer(from: Startable): Promise<PlanRef> {
    const { plan, text, sha256 } = this.#plans.get(from)
    const { planId, planVersion } = plan.metadata
    await this.#parts.services.store.putPlan({ sha256, planId, planVersion, text })
    return planRefOf({ plan, text, sha256 })
  }

  /**
   * The operations of an engine as the world outside knows them: start by a plan's reference, cancel, status, signal, each on
   * behalf of somebody. In production no plan is taken but by reference, and nothing is simulated.
   */
  operations(options: OperationsOptions = {}): RunOperations {
    const { services, advancer, engine: engines } = this.#parts
    const plans = new PlanFetcher(services.store, services.clock)
    return new RunOperations({ services, advancer, engines, plans, starting: this.#starting, ...options })
  }

  /** A run by its id. What its output is like, only its plan knows: say it, and it is believed. */
  async run<O = unknown>(runId: string): Promise<RunHandle<O>> {
    const row = await this.#parts.services.store.findRun({ tenantId: this.#principal.tenantId, runId })
    if (row === undefined) return fail('RUN_NOT_FOUND', `no run ${runId}`)
    if (row.archivedAt !== undefined) throw archivedError(row)
    return new RunHandle(this.#parts, row)
  }

  /** Connects an outside engine and has its worker listen, before anything is started. */
  async ready(): Promise<void> {
    await this.#parts.engine.ready?.()
  }

  /** The queue of an outside engine that no worker listens to; undefined when one does, or when there are no queues. */
  async deserted(): Promise<string | undefined> {
    return this.#parts.engine.deserted()
  }

  /** A page of runs, newest first. */
  list(
    filter: ListFilter = {},
    page: { readonly limit: number; readonly cursor?: string } = { limit: SHOWN },
  ): Promise<ListPage> {
    return this.#parts.services.store.listRuns(this.#principal.tenantId, filter, page)
  }

  /** All runs that fit, page by page. */
  async *runs(filter: ListFilter = {}): AsyncGenerator<RunRow, void> {
    for (let cursor: string | undefined; ;) {
      const page = await this.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
      yield* page.runs
      if (page.next === undefined) return
      cursor = page.next
    }
  }

  /** Manual tasks of all runs that wait for a person, each with the token that completes it. */
  async *tasks(filter: Omit<ListFilter, 'status'> = {}): AsyncGenerator<OpenTask, void> {
    for await (const row of this.runs({ ...filter, status: ['RUNNING', 'PAUSED'] })) {
      // Nobody can complete a task of a run that was set aside; those of others are shown all the same.
      if (row.quarantine === undefined) yield* await new RunHandle(this.#parts, row).tasks().catch(noneOfDamaged)
    }
  }

  #needHandlers(plan: Plan, { elsewhere }: EngineCapabilities = this.#parts.engineType): void {
    if (elsewhere === true) return
    checkIsolation(plan, this.#parts.services.handlers)
    needHandlers(plan, this.#parts.services.handlers)
  }

  async #planOf(row: RunRow): Promise<Plan> {
    const { services, advancer } = this.#parts
    return (await planOfRun({ store: services.store, plans: advancer.plans }, row)).plan
  }

  /** Takes over a run whose driver is gone. A run whose handlers this process lacks is left alone (DESIGN §9). */
  async adopt(runId: string): Promise<RunHandle> {
    const { services, advancer, engine } = this.#parts
    const handle = await this.run(runId)
    await needUsable({ store: services.store, plans: advancer.plans }, handle.row)
    if (isTerminalRun(handle.row.status)) return handle
    const { engineType, runKey } = handle.row
    const { capabilities } =
      engine.of(engineType) ??
      fail('RUN_ON_OTHER_ENGINE', `run ${runId} is on '${engineType}', and this process has not opened that engine`)
    this.#needHandlers(await this.#planOf(handle.row), capabilities)
    if (!(await engine.adopt(runKey))) {
      fail('RUN_DRIVEN_ELSEWHERE', `run ${runId} is driven by another process`)
    }
    return handle
  }

  /**
   * Moves a live run to another engine: it is paused, its steps at work come to their end, the hand-off enters the log, and
   * it goes on there. Refuses, and lifts the pause again, when they are not done in time; unless it is forced.
   */
  async migrate(runId: string, options: MigrateOptions): Promise<Migration> {
    const { row } = await this.run(runId)
    const { to, actorId = this.#principal.actorId } = options
    const isDrivenHere = options.detach !== true && !isTerminalRun(row.status)
    const capabilities = this.#parts.engine.of(to)?.capabilities
    if (isDrivenHere) this.#needHandlers(await this.#planOf(row), capabilities)
    return migrateRun({ ...this.#parts, engines: this.#parts.engine }, { ...options, row, to, actorId })
  }

  /** A new run from an ended one's results; with the id of a RETRY_RUN, once for that signal (SIG-07). */
  async fork(
    runId: string,
    options: ForkOptions & { readonly signalId?: string; readonly repeatIrreversible?: boolean } = {},
  ): Promise<RunHandle> {
    const { services, advancer, engine, engineType } = this.#parts
    const { row } = await this.run(runId)
    this.#needHandlers(await this.#planOf(row))
    await engine.ready()
    const answer = await forkRun(services, advancer, {
      row,
      principal: this.#principal,
      engine: engineType,
      lease: engine.lease(),
      ...options,
    })
    const handle = new RunHandle(this.#parts, answer.row, answer.kind === 'exists')
    if (answer.kind === 'started') engine.drive(answer.row.runKey, answer.report)
    return handle
  }

  /** What `fork` would take over and do again, and which effects that would repeat. Starts nothing. */
  async previewFork(runId: string, options: ForkOptions = {}): Promise<ForkPreview> {
    const { services, advancer } = this.#parts
    const { row } = await this.run(runId)
    return previewFork(services, advancer, { row, ...options })
  }

  /** Receipts, verification, erasure, archival, backup. */
  get upkeep(): Upkeep {
    return this.#parts.upkeep ?? fail('STORE_NOT_FOUND', 'a store in memory keeps nothing')
  }

  /** Calls the handler at each such event of the runs this process drives, after it is committed. Gives back what ends that. */
  on<N extends HookName>(name: N, handler: HookHandler<N>): () => void {
    return this.#parts.hooks.on(name, handler)
  }

  /** For metrics: each step that came to its end, once. A handler that throws breaks nothing. */
  onStepCompleted(handler: HookHandler<'step.completed'>): () => void {
    return this.on('step.completed', handler)
  }

  /**
   * Calls the handler for every event of every run of this store, at least once and in order per run, whoever drives it.
   * The place in the log is kept under `name`: what was recorded meanwhile comes first. It ends with `close`.
   */
  subscribe(name: string, handler: FeedHandler, options: SubscribeOptions = {}): Subscription {
    const { services, moves } = this.#parts
    for (const one of this.#subscriptions) {
      if (one.isStopped) this.#subscriptions.delete(one)
      else if (one.name === name) fail('SUBSCRIBER_EXISTS', `'${name}' is subscribed here already`)
    }
    const subscription = new Subscription(services, name, handler, {
      onProblem: warnOfProblem,
      ...options,
      onMove: (wake) => moves.listen(wake),
    })
    this.#subscriptions.add(subscription)
    return subscription
  }

  async close(): Promise<void> {
    await this.#parts.engine.stop()
    this.#parts.guard?.close()
    this.#parts.moves.close()
    await Promise.all([...this.#subscriptions].map((one) => one.stop()))
    await this.#parts.hooks.flush()
    await this.#parts.receipts?.stop()
    await this.#parts.services.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function noneOfDamaged(thrown: unknown): readonly OpenTask[] {
  if (thrown instanceof KeelsonError && thrown.code === 'RUN_QUARANTINED') return []
  throw thrown
}
