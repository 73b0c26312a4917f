/**
 * The RunDriver an engine is given: advance and execute, bound to one process's services. Child runs it starts are
 * reported to the engine, which drives them beside their parents.
 */
import { fail } from '../core/problems/problem.ts'
import type { Effect } from '../core/run/effect.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import { locate } from '../core/run/units.ts'
import type { AdvanceReport, EffectReport, RunDriver } from '../ports/engine.ts'
import type { RunKey, RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import { BeginClaims } from './begin-claim.ts'
import { childRunId } from './child-end.ts'
import { leaveReport } from './report-letter.ts'
import { effectTraits } from './effect-traits.ts'
import { executeStep } from './execute-step.ts'
import type { LoadedRun } from './load-run.ts'
import type { TroubleParts } from './run-trouble.ts'
import type { Services } from './services.ts'
import { isDamage, setAside } from './set-aside.ts'
import { startChild } from './start-child.ts'
import { SuspectTurns } from './suspect-turns.ts'
import { isPutApart, mayBeSuspect, wantsAlone } from './suspects.ts'
import { signalRun } from './signal-run.ts'
import { undoneChild } from './undo-run-id.ts'
import type { StartRequest } from './start-run.ts'

export interface DriverOptions {
  /** A child run was started (or found): somebody must drive it. */
  readonly onChild?: (row: RunRow, report: AdvanceReport | undefined) => void
  /** Lease for a child run about to be created: without one others would take it for an orphan. */
  readonly lease?: (engineType: string) => StartRequest['lease']
  readonly onManualTask?: (run: RunRow, slot: string, attempt: number) => void
}

export function createRunDriver(services: Services, advancer: RunAdvancer, options: DriverOptions = {}): RunDriver {
  const claims = new BeginClaims(services)
  const turns = new SuspectTurns()
  return {
    advance: async (runKey, reports = [], asked = {}) => {
      const report = await advancer.advance(runKey, { ...asked, reports })
      if (report.terminal) claims.forget(runKey)
      return report
    },
    adopt: async (runKey) => {
      const report = await advancer.advance(runKey, { adopt: true })
      claims.forget(runKey)
      return report
    },
    execute: async (runKey, effect, signal) => {
      try {
        return await execute({ services, advancer, options, claims, turns }, runKey, effect, signal)
      } catch (thrown) {
        await setAsideDamaged({ store: services.store, plans: advancer.plans }, runKey, thrown)
        throw thrown
      }
    },
    wantsAlone: (runKey, effect) =>
      mayBeSuspect(effect) && advancer.current(runKey).then((run) => wantsAlone({ services, run, effect })),
    traits: async (runKey, effect) => effectTraits(await advancer.current(runKey), effect),
    see: (runKey, headSeq) => advancer.see(runKey, headSeq),
    cancel: (runKey, reason) => cancelNatively(services, runKey, reason),
    leave: async (runKey, report) => {
      const row = await leaveReport(services, runKey, report)
      // Nobody drives an ended run: what came too late for it is recorded here (P-48).
      if (isTerminalRun(row.status)) await advancer.advance(runKey)
    },
    forget: (runKey) => {
      advancer.release(runKey)
      claims.forget(runKey)
    },
  }
}

/** What an effect needs of the log may be damaged too, and is found only when it is carried out. */
async function setAsideDamaged(parts: TroubleParts, runKey: RunKey, thrown: unknown): Promise<void> {
  if (isDamage(thrown)) await setAside(parts, runKey, 'RUN_QUARANTINED', thrown)
}

interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly options: DriverOptions
  readonly claims: BeginClaims
  readonly turns: SuspectTurns
}

async function execute(
  parts: Parts,
  runKey: RunKey,
  effect: Effect,
  signal: AbortSignal,
): Promise<EffectReport | undefined> {
  const { services, advancer, options, claims, turns } = parts
  const run = await advancer.current(runKey)
  switch (effect.kind) {
    case 'ExecuteStep':
    case 'Compensate': {
      const call = { services, claims, run, effect, signal, latest: () => advancer.current(runKey) }
      // Before its time begins: waiting for a turn is none of the step's.
      const isApart = mayBeSuspect(effect) && (await isPutApart(call))
      return isApart ? turns.during(signal, () => executeStep(call)) : executeStep(call)
    }
    case 'StartChild': {
      const started = await startChild(services, advancer, run, effect, options.lease?.(run.state.engineType))
      if (started.kind === 'answered') return started.report
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
  const child = undoneChild(runId, run.state, effect.slot)?.undoRunId ?? childRunId(runId, effect.slot, effect.attempt)
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
  if (effect.signalType === 'CANCEL' || effect.signalType === 'EMERGENCY_STOP') return true
  const paused = run.state.status === 'PAUSED'
  return isOpen(run, effect) && run.state.pauseCycle === effect.cycle && paused === (effect.signalType === 'PAUSE')
}

/** One signal per run, however often the engine tells it; whoever cancelled with a reason before has said it better. */
async function cancelNatively(services: Services, runKey: RunKey, reason: string): Promise<void> {
  const row = await services.store.getRun(runKey)
  if (row === undefined || row.substatus?.endsWith('/CANCELLING') === true) return
  const asked = (await services.store.readInbox(runKey)).some(({ kind, body }) => kind === 'signal' && isCancel(body))
  if (asked) return
  const signalId = childRunId(row.runId, 'native-cancel', 1)
  const sender = { actorId: row.engineType, actorRole: 'System', allowed: true }
  await signalRun(services, row, { signalId, signalType: 'CANCEL', payload: { reason } }, sender)
}

function isCancel(body: string): boolean {
  const { signalType } = JSON.parse(body) as { readonly signalType?: unknown }
  return signalType === 'CANCEL' || signalType === 'EMERGENCY_STOP'
}
