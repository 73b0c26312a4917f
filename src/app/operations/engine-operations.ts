/**
 * An open engine behind its public contract (ADP-01). It adds no way of its own to write a run: a start is the normal
 * start, a cancellation and every other request is a signal in the inbox, and the status is a fold of the log.
 */
import type { EngineRunRef } from '../../core/engine/run-ref.ts'
import type { RunStatusSnapshot } from '../../core/engine/run-status.ts'
import type { PlanRef } from '../../core/plan/compile/plan-ref.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { isOutside, type EngineType } from '../../core/engine/engine-type.ts'
import { rolesFor, sufficientRole } from '../../core/run/signals/roles.ts'
import { lackedRole } from '../../core/authority/lacked-role.ts'
import { isSignalType } from '../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { ActorContext, EngineRunContext, EngineSignal, ProviderAdapter } from '../../ports/provider-adapter.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { checkIsolation } from '../plans/check-isolation.ts'
import type { CompiledPlan } from '../plans/compile.ts'
import { deliverSignal, signalAnswered } from '../steer/deliver-signal.ts'
import { dequeueAndStart } from '../start/dequeue-runs.ts'
import type { OpenEngine } from '../engines/engines.ts'
import type { PlanFetcher } from '../sources/fetch.ts'
import { needHandlers } from '../plans/missing-handlers.ts'
import { providerFailure } from './provider-failure.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { readStatus } from './read-status.ts'
import { needActor, needOwnTenant, refOf, resolveRun, type GivenRef, type ResolveParts } from './resolve-run.ts'
import type { Services } from '../services.ts'
import { retryRun } from './retry-run.ts'
import { startRun } from '../start/start-run.ts'
import type { StartRequest } from '../start/start-request.ts'

export interface AdapterParts extends ResolveParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly plans: PlanFetcher
  /** Runs that this process is taking out of the queue: its lease excludes other processes, not itself. */
  readonly starting: Set<RunKey>
}

export class EngineOperations implements ProviderAdapter {
  readonly #parts: AdapterParts
  readonly #engine: OpenEngine
  readonly provider: EngineType
  readonly ping?: () => Promise<void>

  constructor(parts: AdapterParts, engine: OpenEngine, provider: EngineType) {
    this.#parts = parts
    this.#engine = engine
    this.provider = provider
    const { host } = engine
    if (host.ping !== undefined) this.ping = () => this.#ask('ping', undefined, () => host.ping?.())
  }

  async startRun(ref: PlanRef, context: EngineRunContext, actor: ActorContext): Promise<EngineRunRef> {
    needActor('startRun', actor)
    // Before the plan is looked up: a caller of another tenant must not learn which plans exist.
    await needOwnTenant(this.#parts, context, actor)
    return this.start(await this.#parts.plans.fetch(actor.tenantId, ref), context, actor)
  }

  /** Starts a plan that is already loaded. */
  async start(plan: CompiledPlan, context: EngineRunContext, actor: ActorContext): Promise<EngineRunRef> {
    const { services, advancer } = this.#parts
    const { capabilities, host } = this.#engine
    await this.#checkStart(plan, context, actor)
    await this.#ask('startRun', context.runId, () => host.connect?.())
    const answer = await startRun(services, advancer, {
      ...startRequest(plan, context, actor),
      engine: capabilities,
      lease: host.lease(),
    })
    if (answer.kind === 'exists') await this.#startQueued(answer.row, plan)
    else host.drive(answer.row.runKey, answer.report)
    return this.#refOf(answer.row)
  }

  async cancelRun(ref: GivenRef, actor: ActorContext, reason?: string): Promise<void> {
    const row = await this.#resolve('cancelRun', ref, actor)
    // Nothing is left to cancel: a repeated request has what it asked for.
    if (isTerminalRun(row.status)) return
    const { services } = this.#parts
    const allowed = sufficientRole('CANCEL', actor.roles) !== undefined
    const why = reason ?? actor.reason
    const payload = why === undefined ? {} : { reason: why }
    const request = { signalId: services.random.uuid(), signalType: 'CANCEL', payload }
    // The role that distinguishes this cause from a CANCEL signal in the log (ENG-13).
    const sender = { actorId: actor.userId, actorRole: 'cancelRun', allowed }
    const parts = { ...this.#parts, engine: this.#engine.host }
    if (!allowed) {
      await deliverSignal(parts, row, request, sender)
      forbidden('cancelRun', actor)
    }
    await signalAnswered(parts, row, request, sender).catch(unlessEnded)
  }

  async getRunStatus(ref: GivenRef, actor: ActorContext): Promise<RunStatusSnapshot> {
    const row = await this.#resolve('getRunStatus', ref, actor)
    return readStatus(this.#parts, row)
  }

  async signal(ref: GivenRef, request: EngineSignal, actor: ActorContext): Promise<void> {
    const row = await this.#resolve('signal', ref, actor)
    const { signalType } = request
    const known = isSignalType(signalType)
    const role = known ? sufficientRole(signalType, actor.roles) : undefined
    const sender = {
      actorId: actor.userId,
      actorRole: role ?? actor.roles[0] ?? 'none',
      allowed: role !== undefined,
      reason: lackedRole(signalType, known ? rolesFor(signalType) : [], actor.userId),
    }
    const parts = { ...this.#parts, engine: this.#engine.host }
    if (role === undefined) await deliverSignal(parts, row, request, sender)
    if (!known)
      fail('ADAPTER_SIGNAL_UNSUPPORTED', `'${signalType}' is not a signal`, {
        details: { provider: this.provider, operation: 'signal', ref: this.#refOf(row) },
      })
    if (role === undefined) forbidden(signalType, actor)
    await signalAnswered(parts, row, request, sender)
    if (signalType === 'RETRY_RUN')
      await retryRun(this.#parts, this.#engine, row, { ...request, actorId: actor.userId })
  }

  async #checkStart({ plan }: CompiledPlan, context: EngineRunContext, actor: ActorContext): Promise<void> {
    const { services } = this.#parts
    const { targetAdapter } = context
    await needOwnTenant(this.#parts, context, actor)
    if (targetAdapter !== this.provider)
      fail('INVALID_TARGET_ADAPTER', `the run is for '${targetAdapter}', this adapter is '${this.provider}'`, {
        pointer: '/targetAdapter',
      })
    // The workers of an outside engine run its steps; they may be other processes.
    if (isOutside(this.provider)) return
    checkIsolation(plan, services.handlers)
    needHandlers(plan, services.handlers)
  }

  /** Of the existing runs, only one that waits in the queue can still be started (ENG-11). */
  async #startQueued(row: RunRow, { sha256 }: CompiledPlan): Promise<void> {
    const isOurs = row.planSha256 === sha256 && row.engineType === this.provider
    if (isOurs && (await this.#isQueued(row)) && (await this.#dequeue(row))) return
    fail('RUN_ALREADY_EXISTS', `run ${row.runId} was started before`, {
      details: { provider: this.provider, operation: 'startRun', ref: this.#refOf(row) },
    })
  }

  async #dequeue({ runKey, tenantId, runId }: RunRow): Promise<boolean> {
    const { services, advancer, starting } = this.#parts
    const { host } = this.#engine
    const lease = host.lease()
    if (lease === undefined || starting.has(runKey)) return false
    starting.add(runKey)
    try {
      const [answer] = await dequeueAndStart(services, advancer, {
        tenantId,
        lease: () => host.lease() ?? lease,
        onStarted: (started, report) => host.drive(started.runKey, report),
        runIds: new Set([runId]),
      })
      return answer?.status === 'STARTED'
    } finally {
      starting.delete(runKey)
    }
  }

  async #isQueued({ runKey, status }: RunRow): Promise<boolean> {
    if (status !== 'PENDING' && status !== 'APPROVED') return false
    const { store } = this.#parts.services
    const first = await eventAt(store, runKey, 1)
    // What was found of its plan stands before it.
    const queued = first?.eventType === 'RunValidated' ? await eventAt(store, runKey, 2) : first
    const record = queued === undefined ? undefined : recordOf(queued)
    return record?.ok === true && record.value.eventType === 'RunQueued'
  }

  async #resolve(operation: string, ref: GivenRef, actor: ActorContext): Promise<RunRow> {
    const row = await resolveRun(this.#parts, operation, ref, actor)
    if (row.engineType !== this.provider)
      fail('ADAPTER_INVALID_RUN_REF', `run ${row.runId} is on '${row.engineType}', not on '${this.provider}'`, {
        pointer: '/provider',
        details: { provider: this.provider, operation, runId: row.runId },
      })
    return row
  }

  #refOf(row: RunRow): EngineRunRef {
    return refOf(row, this.#engine.capabilities.taskQueue?.(row))
  }

  async #ask(operation: string, runId: string | undefined, call: () => Promise<void> | undefined): Promise<void> {
    try {
      await call()
    } catch (error) {
      throw providerFailure({ provider: this.provider, operation, ...(runId === undefined ? {} : { runId }) }, error)
    }
  }
}

/** The run ended before its cancellation was taken: there was nothing left to cancel. */
function unlessEnded(thrown: unknown): void {
  if (!(thrown instanceof KeelsonError) || thrown.code !== 'RUN_TERMINAL') throw thrown
}

function forbidden(what: string, actor: ActorContext): never {
  return fail('AUTHZ_DENIED', `${actor.userId} has no role for ${what}`)
}

/** The start request from plan, context and caller of an engine. */
export function startRequest(
  plan: CompiledPlan,
  context: Omit<EngineRunContext, 'targetAdapter'>,
  actor: ActorContext,
): Omit<StartRequest, 'engine'> {
  const { tenantId, projectId, environmentId, runId, input, correlationId } = context
  return {
    plan,
    runId,
    principal: { tenantId, projectId, environmentId, actorId: actor.userId },
    triggerSource: 'api',
    ...(input === undefined ? {} : { input }),
    ...(correlationId === undefined ? {} : { correlationId }),
  }
}
