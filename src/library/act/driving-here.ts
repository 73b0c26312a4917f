/**
 * Driving a run in this process: it needs the handlers of the run's plan, its engine, and that nobody else drives it. What
 * is missing is told before anything is changed.
 */
import type { Engines } from '../../app/engines/engines.ts'
import { lookBeforeAdopting } from '../../app/engines/look-before-adopting.ts'
import { migrateRun, type Migration } from '../../app/engines/migrate-run.ts'
import { planOfRun } from '../../app/loaded/plan-of-run.ts'
import { needUsable } from '../../app/loaded/run-trouble.ts'
import { needEngine } from '../../app/plans/check-engine.ts'
import { checkIsolation } from '../../app/plans/check-isolation.ts'
import type { StartAnswer } from '../../app/start/start-request.ts'
import { needHandlers } from '../../app/plans/missing-handlers.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { EngineCapabilities } from '../../ports/engine.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Parts } from '../parts.ts'
import type { MigrateOptions } from '../run-options.ts'

export class DrivingHere {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws where a step of the plan has no handler here. An engine that carries steps out elsewhere needs none. */
  needHandlers(plan: Plan, { elsewhere }: EngineCapabilities = this.#parts.capabilities): void {
    if (elsewhere === true) return
    checkIsolation(plan, this.#parts.services.handlers)
    needHandlers(plan, this.#parts.services.handlers)
  }

  /** The same for the plan of a run that is there. */
  async needHandlersOf(row: RunRow, capabilities?: EngineCapabilities): Promise<void> {
    const { services, advancer } = this.#parts
    const { plan } = await planOfRun({ store: services.store, plans: advancer.plans }, row)
    this.needHandlers(plan, capabilities)
  }

  /** Throws where this process may not start a run that is queued. */
  async needStartable({ tenantId, planSha256, engineType }: RunRow): Promise<void> {
    const { advancer, services } = this.#parts
    const { plan } = await advancer.plans.get(tenantId, planSha256)
    needEngine(plan, engineTypeOf(engineType), services.clock.now())
    this.needHandlers(plan)
  }

  /** Of a run that has ended nothing is taken over. */
  async adopt(row: RunRow): Promise<void> {
    const { services, advancer, engine } = this.#parts
    const { engineType, runId, runKey, status } = row
    await needUsable({ store: services.store, plans: advancer.plans }, row)
    if (isTerminalRun(status)) return
    const { capabilities } =
      engine.of(engineType) ??
      fail('RUN_ON_OTHER_ENGINE', `run ${runId} is on '${engineType}', and this process has not opened that engine`)
    await lookBeforeAdopting(this.#parts, row, () => this.needHandlersOf(row, capabilities))
    if (!(await engine.adopt(runKey))) fail('RUN_DRIVEN_ELSEWHERE', `run ${runId} is driven by another process`)
  }

  async migrate(row: RunRow, options: MigrateOptions): Promise<Migration> {
    const { engine: engines, principal } = this.#parts
    const { to, actorId = principal.actorId } = options
    const isDrivenHere = options.detach !== true && !isTerminalRun(row.status)
    if (isDrivenHere) await this.needHandlersOf(row, engines.of(to)?.capabilities)
    return migrateRun({ ...this.#parts, engines }, { ...options, row, to, actorId })
  }
}

/** A run that found no room is driven by nobody until it starts; those that make room for it are told at once. */
export function driveStarted(
  engine: Engines,
  { row, report, isQueued, replaced }: Extract<StartAnswer, { kind: 'started' }>,
): void {
  if (isQueued !== true) engine.drive(row.runKey, report)
  for (const runKey of replaced ?? []) engine.cancelRun(runKey)
}
