/**
 * Moves a live run to another engine: gate, drain with a time limit, EngineHandoff under the next epoch, start there,
 * lift the gate. The log decides each step, so after a crash anywhere the run goes on, or its gate stands and can be
 * lifted; the old engine learns from the epoch that it has lost the run.
 */
import { mustFitNames } from '../log/fitting.ts'
import { steadyNow } from '../../core/clock-jumps.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { engineTypeOf, isOutside, MAX_IN_FLIGHT, type EngineType } from '../../core/engine/engine-type.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { TurnResult, EngineCapabilities } from '../../ports/engine.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import type { EngineTarget } from '../advance/turn.ts'
import type { Engines } from './engines.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { needEngine, needOwnQueues } from '../plans/check-engine.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import { Gate, workOf, type GateParts } from './migration-gate.ts'

export interface MigrateRequest {
  readonly row: RunRow
  readonly to: EngineType
  /** How long running steps may take to end. Default 60 s. */
  readonly drainMs?: number
  /** Hand the run over with steps still running when that time is over: the new engine dispatches them again (P-28). */
  readonly force?: boolean
  /** Leave the run to other processes of the new engine instead of driving it here. */
  readonly detach?: boolean
  readonly actorId: string
}

export interface Migration {
  readonly runId: string
  readonly from: EngineType
  readonly to: EngineType
  readonly epoch: number
  /** Steps were running at the hand-off. */
  readonly forced: boolean
  /** Slots that were running and are executed again. */
  readonly again: readonly string[]
  /** The run was paused before, and still is. */
  readonly paused: boolean
}

export interface MigrateParts extends GateParts {
  readonly advancer: RunAdvancer
}

const DRAIN_MS = 60_000
const LOOK_MS = 50

export async function migrateRun(parts: MigrateParts, request: MigrateRequest): Promise<Migration> {
  mustFitNames({ actorId: request.actorId })
  const { engines } = parts
  const { to } = request
  const row = await liveRow(parts, request.row.runKey)
  const target = targetOf(parts, request)
  if (row.engineType === to) return finish(parts, request, row)
  await needPlanThere(parts, row, to, target?.capabilities)
  // Checked before anything is changed: a run is not taken off an engine for one that cannot be reached.
  await target?.host.connect?.()
  const gate = new Gate(parts, row, request)
  await gate.shut()
  let report: TurnResult
  try {
    report = await handOver(parts, request, gate)
  } catch (thrown) {
    await gate.open()
    throw thrown
  }
  const parting = engines.of(row.engineType)?.host.letGo?.(row.runKey)
  if (isOutside(to)) await target?.host.want(row.runKey)
  else if (request.detach !== true) target?.host.drive(row.runKey, report)
  await gate.open()
  // Last: an engine that no longer answers must not delay the run.
  await parting
  const again = workOf(report.effects)
  const from = engineTypeOf(row.engineType)
  const { forced, wasPaused: paused } = gate
  return { runId: row.runId, from, to, epoch: report.epoch, forced, again, paused }
}

async function liveRow({ services, advancer }: MigrateParts, runKey: RunKey): Promise<RunRow> {
  const row = await services.store.getRun(runKey)
  if (row === undefined) return fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  const { runId, status } = row
  await needUsable({ store: services.store, plans: advancer.plans }, row)
  if (isTerminalRun(status)) fail('RUN_TERMINAL', `run ${runId} has ended ${status}; there is nothing to move`)
  if (status === 'PENDING' || status === 'APPROVED') fail('RUN_NOT_RUNNING', `run ${runId} has not started`)
  return row
}

/** What a start there would refuse is not allowed by moving there: another engine in the plan, what the engine lacks, queues of others. */
async function needPlanThere(
  { services, advancer }: MigrateParts,
  { tenantId, environmentId, planSha256 }: RunRow,
  to: EngineType,
  engine: EngineCapabilities | undefined,
): Promise<void> {
  const { plan } = await advancer.plans.get(tenantId, planSha256)
  needEngine(plan, to, services.clock.now())
  if (engine !== undefined) needOwnQueues(plan, engine, { tenantId, environmentId })
}

/** Undefined where this process need not have the engine open. */
function targetOf({ engines }: MigrateParts, { to, detach }: MigrateRequest): ReturnType<Engines['of']> {
  const opened = engines.of(to)
  const target = opened?.capabilities.engineType === to ? opened : undefined
  if (target === undefined && (isOutside(to) || detach !== true))
    fail('ENGINE_NOT_OPEN', `this process has not opened the engine '${to}'`)
  return target
}

/** A migration that died after its hand-off left the run there with the gate shut: does the missing part. */
async function finish(parts: MigrateParts, request: MigrateRequest, row: RunRow): Promise<Migration> {
  const { runId, runKey, epoch } = row
  const { to } = request
  const gate = new Gate(parts, row, request)
  if (!(await gate.takeUp())) fail('ENGINE_UNCHANGED', `run ${runId} is already on '${to}'`)
  if (isOutside(to) || request.detach !== true) await parts.engines.want(runKey)
  await gate.open()
  return { runId, from: to, to, epoch, forced: false, again: [], paused: false }
}

/** Waits until nothing is running, then hands over; the state that is handed over is checked once more. */
async function handOver(parts: MigrateParts, request: MigrateRequest, gate: Gate): Promise<TurnResult> {
  const { services, advancer } = parts
  const { row, drainMs = DRAIN_MS, force = false } = request
  const handoff = targetEngine(parts, request, gate)
  const deadline = steadyNow(services.clock) + drainMs
  for (let run = await freshRun(parts, row.runKey); ; run = await freshRun(parts, row.runKey, run)) {
    const isOver = steadyNow(services.clock) >= deadline
    await gate.keepShut(run)
    const work = gate.workAt(run)
    gate.forced = work.length > 0 && isOver && force
    if (work.length === 0 || gate.forced) {
      const target = gate.forced ? { ...handoff, forced: true } : handoff
      const report = await advancer.advance(row.runKey, { open: true, handoff: target }).catch(unlessBusy)
      if (report !== undefined) return report
    } else if (isOver)
      return fail('RUN_NOT_DRAINED', `run ${row.runId} still had work after ${drainMs} ms: ${work.join(', ')}`)
    await new Promise<void>((resolve) => void services.timers.after(LOOK_MS, resolve))
  }
}

function unlessBusy(thrown: unknown): undefined {
  if (thrown instanceof KeelsonError && thrown.code === 'RUN_NOT_DRAINED') return undefined
  throw thrown
}

function targetEngine({ services, engines, owner }: MigrateParts, request: MigrateRequest, gate: Gate): EngineTarget {
  const { row, to, detach = false } = request
  const opened = engines.of(to)
  const capabilities: EngineCapabilities = opened?.capabilities ?? { engineType: to, maxInFlight: MAX_IN_FLIGHT[to] }
  // A lease that expires at once: any process may take the run, and the old driver no longer holds it.
  const lease = (detach ? undefined : opened?.host.lease()) ?? { owner: `left#${owner}`, until: services.clock.now() }
  return {
    toEngine: to,
    engineRunRef: capabilities.runRef?.(row) ?? `${to}://${row.runId}`,
    maxInFlight: capabilities.maxInFlight,
    lease,
    check: (run) => {
      const work = gate.workAt(run)
      if (work.length > 0) fail('RUN_NOT_DRAINED', `run ${row.runId} has work again: ${work.join(', ')}`)
    },
  }
}

/** The fold of the log as it is now, also when another process drives the run. */
async function freshRun({ services, advancer }: MigrateParts, runKey: RunKey, known?: LoadedRun): Promise<LoadedRun> {
  const row = await services.store.getRun(runKey)
  if (known !== undefined && row?.nextSeq === known.nextSeq) return known
  advancer.see(runKey, (row?.nextSeq ?? 1) - 1)
  return advancer.current(runKey)
}
