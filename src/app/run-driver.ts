/**
 * The RunDriver an engine is given: advance and execute, bound to one process's services. Child runs it starts are
 * reported to the engine, which drives them beside their parents.
 */
import { fail } from '../core/problems/problem.ts'
import type { Effect } from '../core/run/effect.ts'
import { locate } from '../core/run/units.ts'
import type { AdvanceReport, EffectReport, RunDriver } from '../ports/engine.ts'
import type { RunKey, RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { BeginClaims } from './begin-claim.ts'
import { childRunId } from './child-end.ts'
import { executeStep } from './execute-step.ts'
import type { LoadedRun } from './load-run.ts'
import type { Services } from './services.ts'
import { startChild } from './start-child.ts'
import type { StartRequest } from './start-run.ts'

export interface DriverOptions {
  /** A child run was started (or found): somebody must drive it. */
  readonly onChild?: (row: RunRow, report: AdvanceReport | undefined) => void
  /** Lease for a child run about to be created: without one others would take it for an orphan. */
  readonly lease?: () => NonNullable<StartRequest['lease']>
  readonly onManualTask?: (run: RunRow, slot: string, attempt: number) => void
}

export function createRunDriver(services: Services, advancer: RunAdvancer, options: DriverOptions = {}): RunDriver {
  const claims = new BeginClaims(services)
  return {
    advance: async (runKey, reports = []) => {
      const report = await advancer.advance(runKey, { reports })
      if (report.terminal) claims.forget(runKey)
      return report
    },
    adopt: async (runKey) => {
      const report = await advancer.advance(runKey, { adopt: true })
      claims.forget(runKey)
      return report
    },
    execute: (runKey, effect, signal) => execute({ services, advancer, options, claims }, runKey, effect, signal),
    forget: (runKey) => {
      advancer.release(runKey)
      claims.forget(runKey)
    },
  }
}

interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly options: DriverOptions
  readonly claims: BeginClaims
}

async function execute(
  parts: Parts,
  runKey: RunKey,
  effect: Effect,
  signal: AbortSignal,
): Promise<EffectReport | undefined> {
  const { services, advancer, options, claims } = parts
  const run = await advancer.current(runKey)
  switch (effect.kind) {
    case 'ExecuteStep':
    case 'Compensate':
      return executeStep({ services, claims, run, effect, signal, latest: () => advancer.current(runKey) })
    case 'StartChild': {
      const started = await startChild(services, advancer, run, effect, options.lease?.())
      if (started.kind === 'refused') return started.report
      if (started.kind === 'child')
        options.onChild?.(started.answer.row, started.answer.kind === 'started' ? started.answer.report : undefined)
      return undefined
    }
    case 'SignalChild':
      await signalChild(services, run, effect)
      return undefined
    case 'OpenManualTask':
      options.onManualTask?.(run.row, effect.slot, effect.attempt)
      return undefined
    case 'CancelStep':
      return undefined
  }
}

type SignalChild = Extract<Effect, { kind: 'SignalChild' }>

/** The parent's word to its child run, through the child's inbox. A child that is not there yet is told later. */
async function signalChild(services: Services, run: LoadedRun, effect: SignalChild): Promise<void> {
  if (!isStillMeant(run, effect)) return
  const { tenantId, runId } = run.identity
  const child = childRunId(runId, effect.slot, effect.attempt)
  const signalId = childRunId(child, effect.signalType, effect.cycle)
  const body = {
    signalId,
    signalType: effect.signalType,
    payload: { reason: `parent run ${runId}` },
    authorization: { allowed: true, policyDecisionId: signalId, actorId: runId, actorRole: 'parent' },
  }
  const row = { inboxId: `signal:${signalId}`, kind: 'signal', body: JSON.stringify(body) }
  const answer = await services.store.insertInbox({ tenantId, runId: child }, row)
  if (answer.kind === 'no-run' && isOpen(run, effect))
    fail('RUN_NOT_FOUND', `the child run of '${effect.slot}' has not been created yet`)
}

function isOpen(run: LoadedRun, effect: SignalChild): boolean {
  const unit = locate(run.state, effect.slot)?.unit
  return unit?.status === 'RUNNING' && unit.attempt === effect.attempt
}

/** A pause or resume must still be the one in force: an old word that was held up must not overtake a new one. */
function isStillMeant(run: LoadedRun, effect: SignalChild): boolean {
  if (effect.signalType === 'CANCEL') return true
  const paused = run.state.status === 'PAUSED'
  return isOpen(run, effect) && run.state.pauseCycle === effect.cycle && paused === (effect.signalType === 'PAUSE')
}
