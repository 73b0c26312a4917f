/**
 * What a program holds of an open Keelson: start runs, find them, take them over, fork them, close.
 */
import { checkIsolation } from '../../app/check-isolation.ts'
import type { CompiledPlan } from '../../app/compile-plan.ts'
import { forkRun } from '../../app/fork-run.ts'
import { needHandlers } from '../../app/missing-handlers.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../../app/principal.ts'
import { startRun } from '../../app/start-run.ts'
import type { Services } from '../../app/services.ts'
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/transitions.ts'
import { isoFromMs } from '../../core/time.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { HookHandler, HookName } from '../../ports/hooks.ts'
import type { ListFilter, ListPage } from '../../ports/run-store.ts'
import type { Parts } from './parts.ts'
import { RunHandle } from './run-handle.ts'
import type { Upkeep } from './upkeep.ts'

export interface StartOptions {
  /** The same id starts one run. */
  readonly requestId?: string
  /** Ties the run and its children to the request that caused them; default: the run's id. */
  readonly correlationId?: string
}

export class Keelson {
  readonly #parts: Parts
  readonly #principal: Principal

  constructor(parts: Parts) {
    this.#parts = parts
    this.#principal = parts.principal ?? LOCAL_PRINCIPAL
  }

  get services(): Services {
    return this.#parts.services
  }

  /** Starts a run of a compiled plan; the same `requestId` starts it once. Missing handlers are refused before anything starts. */
  async start(plan: CompiledPlan, input?: unknown, options: StartOptions = {}): Promise<RunHandle> {
    const { services, advancer, engine, engineType } = this.#parts
    this.#needHandlers(plan.plan)
    const answer = await startRun(services, advancer, {
      plan,
      ...(input === undefined ? {} : { input }),
      principal: this.#principal,
      engine: { engineType: 'embedded', maxInFlight: engineType.maxInFlight },
      triggerSource: 'manual',
      lease: engine.lease(),
      ...(options.requestId === undefined ? {} : { runRequestId: options.requestId }),
      ...(options.correlationId === undefined ? {} : { correlationId: options.correlationId }),
    })
    const handle = new RunHandle(this.#parts, answer.row, answer.kind === 'exists')
    if (answer.kind === 'started') engine.drive(answer.row.runKey, answer.report)
    return handle
  }

  async run(runId: string): Promise<RunHandle> {
    const row = await this.#parts.services.store.findRun({ tenantId: this.#principal.tenantId, runId })
    if (row === undefined) return fail('RUN_NOT_FOUND', `no run ${runId}`)
    if (row.archivedAt !== undefined)
      fail('RUN_ARCHIVED', `run ${runId} ended ${row.status} and was archived on ${isoFromMs(row.archivedAt)}`)
    return new RunHandle(this.#parts, row)
  }

  list(filter: ListFilter, page: { readonly limit: number; readonly cursor?: string }): Promise<ListPage> {
    return this.#parts.services.store.listRuns(this.#principal.tenantId, filter, page)
  }

  #needHandlers(plan: Plan): void {
    checkIsolation(plan, this.#parts.services.handlers)
    needHandlers(plan, this.#parts.services.handlers)
  }

  /** Takes over a run whose driver is gone. A run whose handlers this process lacks is left alone (DESIGN §9). */
  async adopt(runId: string): Promise<RunHandle> {
    const { advancer, engine } = this.#parts
    const handle = await this.run(runId)
    if (isTerminalRun(handle.row.status)) return handle
    this.#needHandlers((await advancer.plans.get(handle.row.planSha256)).plan)
    if (!(await engine.adopt(handle.row.runKey))) {
      fail('RUN_DRIVEN_ELSEWHERE', `run ${runId} is driven by another process`)
    }
    return handle
  }

  /** A new run from an ended one's results; with the id of a RETRY_RUN, once for that signal (SIG-07). */
  async fork(
    runId: string,
    options: { readonly from?: string; readonly atSeq?: number; readonly signalId?: string } = {},
  ): Promise<RunHandle> {
    const { services, advancer, engine, engineType } = this.#parts
    const { row } = await this.run(runId)
    this.#needHandlers((await advancer.plans.get(row.planSha256)).plan)
    const answer = await forkRun(services, advancer, {
      row,
      principal: this.#principal,
      engine: { engineType: 'embedded', maxInFlight: engineType.maxInFlight },
      lease: engine.lease(),
      ...options,
    })
    const handle = new RunHandle(this.#parts, answer.row, answer.kind === 'exists')
    if (answer.kind === 'started') engine.drive(answer.row.runKey, answer.report)
    return handle
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

  async close(): Promise<void> {
    await this.#parts.engine.stop()
    await this.#parts.hooks.flush()
    await this.#parts.receipts?.stop()
    await this.#parts.services.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
