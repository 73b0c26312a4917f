/**
 * Moves a live run to another engine (DESIGN §10): gate, drain with a limit, EngineHandoff under the next epoch, start there,
 * lift the gate. The log decides each step, so a crash anywhere leaves a run that goes on, or one whose gate stands and can
 * be lifted; the old engine learns from the epoch that it has lost the run.
 */
import { steadyNow } from '../core/clock-jumps.ts'
import { fail, KeelsonError } from '../core/problems/problem.ts'
import { engineTypeOf, isOutside, MAX_IN_FLIGHT, type EngineType } from '../core/run/engines.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import type { AdvanceReport, EngineCapabilities } from '../ports/engine.ts'
import type { RunKey, RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import type { EngineTarget } from './advance-turn.ts'
import type { Engines } from './engines.ts'
import type { LoadedRun } from './load-run.ts'
import { needUsable } from './run-trouble.ts'
import { Gate, workOf, type GateParts } from './migration-gate.ts'

export interface MigrateRequest {
  readonly row: RunRow
  readonly to: EngineType
  /** How long steps at work may take to end. Default 60 s. */
  readonly drainMs?: number
  /** Hand it over with steps at work when that time is over: they are sent out again by the new engine (P-28). */
  readonly force?: boolean
  /** Leave it to other processes of the new engine instead of driving it here. */
  readonly detach?: boolean
  readonly actorId: string
}

export interface Migration {
  readonly runId: string
  readonly from: EngineType
  readonly to: EngineType
  readonly epoch: number
  /** Steps were at work when it was handed over. */
  readonly forced: boolean
  /** Slots that were at work and are carried out again. */
  readonly again: readonly string[]
  /** It was paused before, and still is. */
  readonly paused: boolean
}

export interface MigrateParts extends GateParts {
  readonly advancer: RunAdvancer
}

const DRAIN_MS = 60_000
const LOOK_MS = 50

export async function migrateRun(parts: MigrateParts, request: MigrateRequest): Promise<Migration> {
  const { engines } = parts
  const { to } = request
  const row = await liveRow(parts, request.row.runKey)
  const target = targetOf(parts, request)
  if (row.engineType === to) return finish(parts, request, row)
  // Asked before anything is changed: a run is not taken off an engine for one that cannot be reached.
  await target?.host.ready?.()
  const gate = new Gate(parts, row, request)
  await gate.shut()
  let report: AdvanceReport
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
  // Last: an engine that does not answer any more must not hold the run up.
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

/** Undefined where nobody of this process need have the engine open. */
function targetOf({ engines }: MigrateParts, { to, detach }: MigrateRequest): ReturnType<Engines['of']> {
  const opened = engines.of(to)
  const target = opened?.capabilities.engineType === to ? opened : undefined
  if (target === undefined && (isOutside(to) || detach !== true))
    fail('ENGINE_NOT_OPEN', `this process has not opened the engine '${to}'`)
  return target
}

/** A migration that died after its hand-off left the run there with the gate shut: what is missing is made up for. */
async function finish(parts: MigrateParts, request: MigrateRequest, row: RunRow): Promise<Migration> {
  const { runId, runKey, epoch } = row
  const { to } = request
  const gate = new Gate(parts, row, request)
  if (!(await gate.takeUp())) fail('ENGINE_UNCHANGED', `run ${runId} is on '${to}' already`)
  if (isOutside(to) || request.detach !== true) await parts.engines.want(runKey)
  await gate.open()
  return { runId, from: to, to, epoch, forced: false, again: [], paused: false }
}

/** Looks until nothing is at work, then hands over; the same is asked once more of the state that is handed over. */
async function handOver(parts: MigrateParts, request: MigrateRequest, gate: Gate): Promise<AdvanceReport> {
  const { services, advancer } = parts
  const { row, drainMs = DRAIN_MS, force = false } = request
  const handoff = targetEngine(parts, request, gate)
  const deadline = steadyNow(services.clock) + drainMs
  for (let run = await freshRun(parts, row.runKey); ; run = await freshRun(parts, row.runKey, run)) {
    const isOver = steadyNow(services.clock) >= deadline
    const work = gate.workAt(run)
    gate.forced = work.length > 0 && isOver && force
    if (work.length === 0 || gate.forced) {
      const target = gate.forced ? { ...handoff, forced: true } : handoff
      const report = await advancer.advance(row.runKey, { open: true, handoff: target }).catch(unlessBusy)
      if (report !== undefined) return report
    } else if (isOver)
      return fail('RUN_NOT_DRAINED', `run ${row.runId} was not still within ${drainMs} ms: ${work.join(', ')}`)
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
  // A lease that is over at once: whoever comes first may have the run, and the old driver has it no longer.
  const lease = (detach ? undefined : opened?.host.lease()) ?? { owner: `left#${owner}`, until: services.clock.now() }
  return {
    toEngine: to,
    engineRunRef: capabilities.runRef?.(row.runId) ?? `${to}://${row.runId}`,
    maxInFlight: capabilities.maxInFlight,
    lease,
    check: (run) => {
      const work = gate.workAt(run)
      if (work.length > 0) fail('RUN_NOT_DRAINED', `run ${row.runId} moves again: ${work.join(', ')}`)
    },
  }
}

/** The fold as the log has it now, also when another process drives the run. */
async function freshRun({ services, advancer }: MigrateParts, runKey: RunKey, known?: LoadedRun): Promise<LoadedRun> {
  const row = await services.store.getRun(runKey)
  if (known !== undefined && row?.nextSeq === known.nextSeq) return known
  advancer.see(runKey, (row?.nextSeq ?? 1) - 1)
  return advancer.current(runKey)
}
